package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Liveness;
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
 * The fixed list of workers that a dispatcher can be configured with. An entry is an address, or a
 * host for any one port of it: "host", "host:%port%" or "host:%port_name%". A worker that registers
 * takes the first entry that fits, and an entry of a host admits one worker. An entry's place in
 * the list is its worker's share in static sharding. Unlike TensorFlow's, the place of a worker
 * that is lost can be taken by another.
 */
final class WorkerAddressList {
  /** Host and port, split at the last colon that a port follows. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?<host>.*):(?<port>[A-Za-z0-9_]+|%port[^%]*%)", Pattern.DOTALL);

  private final List<String> entries;

  WorkerAddressList(List<String> entries) {
    this.entries = List.copyOf(entries);
  }

  /**
   * The place in the list of the worker at {@code address}: the one it has, or the first that is
   * free, or else the first whose worker is lost. Empty if the list is: then all are admitted.
   *
   * @throws StatusException FAILED_PRECONDITION, in TensorFlow's words, if there is none
   */
  OptionalLong place(String address, Workers workers, Liveness liveness) {
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
   * The registered workers that have no place in the list any more, and would be given none: it is
   * another list now, or others have taken their places while they were lost.
   */
  List<RegisteredWorker> outsiders(Workers workers, Liveness liveness) {
    return entries.isEmpty()
        ? List.of()
        : workers.all().stream()
            .filter(worker -> placeOf(worker).isEmpty())
            .filter(worker -> freePlace(worker.address(), workers, liveness).isEmpty())
            .toList();
  }

  private Optional<Long> freePlace(String address, Workers workers, Liveness liveness) {
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

  /** The place that {@code worker} was given, if it still fits: the list may be another now. */
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
