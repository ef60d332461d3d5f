package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Workers;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * The configured list of workers. An entry is an address, or a host that matches any one port of
 * it: "host", "host:%port%" or "host:%port_name%". A worker that registers takes the first entry
 * that matches, and a host entry admits one worker. The index of its entry is the worker's shard in
 * static sharding. Unlike in TensorFlow, another worker can take the index of a lost one.
 */
final class WorkerAddressList {
  /** Host and port, split at the last colon before a port. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?<host>.*):(?<port>[A-Za-z0-9_]+|%port[^%]*%)", Pattern.DOTALL);

  private final List<String> entries;

  WorkerAddressList(List<String> entries) {
    this.entries = List.copyOf(entries);
  }

  /**
   * The index of the worker at {@code address}: the one it has, else the first free one, else the
   * first whose worker is lost. Empty if the list is empty, which admits all workers.
   *
   * @throws StatusException FAILED_PRECONDITION, with TensorFlow's message, if there is none
   */
  OptionalLong place(String address, Workers workers, LivenessView liveness) {
    if (entries.isEmpty()) {
      return OptionalLong.empty();
    }
    OptionalLong had = workers.find(address).map(this::placeOf).orElse(OptionalLong.empty());
    return had.isPresent()
        ? had
        : freePlace(address, workers, liveness)
            .map(OptionalLong::of)
            .orElseThrow(() -> refusal(address));
  }

  /**
   * The registered workers without an index that would get none either: the list has changed, or
   * other workers took their indices while they were lost.
   */
  List<RegisteredWorker> outsiders(Workers workers, LivenessView liveness) {
    return entries.isEmpty()
        ? List.of()
        : workers.all().stream()
            .filter(worker -> placeOf(worker).isEmpty())
            .filter(worker -> freePlace(worker.address(), workers, liveness).isEmpty())
            .toList();
  }

  private Optional<Long> freePlace(String address, Workers workers, LivenessView liveness) {
    Map<Long, RegisteredWorker> owners = new HashMap<>();
    workers.all().forEach(w -> placeOf(w).ifPresent(place -> owners.put(place, w)));
    return LongStream.range(0, entries.size())
        .filter(i -> fits(i, address))
        .boxed()
        .filter(i -> !owners.containsKey(i) || liveness.isLost(owners.get(i).address()))
        .min(
            Comparator.<Long, Boolean>comparing(owners::containsKey)
                .thenComparing(i -> !entries.get(i.intValue()).equals(address))
                .thenComparing(i -> i));
  }

  /**
   * The index that {@code worker} was given, if its entry still matches; the list may have changed.
   */
  private OptionalLong placeOf(RegisteredWorker worker) {
    return worker.index().isPresent()
            && worker.index().getAsLong() < entries.size()
            && fits(worker.index().getAsLong(), worker.address())
        ? worker.index()
        : OptionalLong.empty();
  }

  private boolean fits(long place, String address) {
    String entry = entries.get((int) place);
    return entry.equals(address) || isHostOf(entry, address);
  }

  private StatusException refusal(String address) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "Failed to assign an index for worker %s. Configured workers list: [%s]. The worker's"
            + " address is not configured, or other workers are already running at the"
            + " configured host.",
        address,
        String.join(", ", entries));
  }

  private static boolean isHostOf(String entry, String address) {
    Matcher worker = HOST_AND_PORT.matcher(address);
    if (!worker.matches()) {
      return false;
    }
    Matcher configured = HOST_AND_PORT.matcher(entry);
    String host = worker.group("host");
    return configured.matches()
        ? configured.group("port").startsWith("%port") && host.equals(configured.group("host"))
        : host.equals(entry);
  }
}
