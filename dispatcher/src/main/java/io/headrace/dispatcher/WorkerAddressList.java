package io.headrace.dispatcher;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fixed list of workers that a dispatcher can be configured with. An entry is an address, or a
 * host for any one port of it: "host", "host:%port%" or "host:%port_name%". A worker that registers
 * takes the first entry that fits, and an entry of a host admits one worker.
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
   * Fails with FAILED_PRECONDITION, in TensorFlow's words, unless the worker at {@code address} may
   * register beside those in {@code workers}. An empty list admits all.
   */
  void requireAdmits(String address, Workers workers) {
    if (entries.isEmpty() || workers.contains(address)) {
      return;
    }
    List<String> free = new ArrayList<>(entries);
    workers.all().forEach(worker -> take(free, worker.address()));
    if (!take(free, address)) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Failed to assign an index for worker %s. Configured workers list: [%s]. The worker's"
              + " address is not configured, or other workers are already running at the"
              + " configured host.",
          address,
          String.join(", ", entries));
    }
  }

  private static boolean take(List<String> free, String address) {
    if (free.remove(address)) {
      return true;
    }
    for (String entry : free) {
      if (isHostOf(entry, address)) {
        return free.remove(entry);
      }
    }
    return false;
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
