package io.headrace.cluster.spec;

import io.headrace.runtime.status.StatusException;

/**
 * The address of a task, split at its last colon.
 *
 * @param host the host, which may be empty
 * @param port the port
 */
public record TaskAddress(String host, int port) {
  private static final int MAX_PORT = 65_535;

  /** Parses the address of a peer; INVALID_ARGUMENT if it is not a host and a port. */
  public static TaskAddress parse(String address) {
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? address : address.substring(0, colon);
    int port = colon < 0 ? -1 : port(address.substring(colon + 1));
    if (port < 0 || host.contains("/")) {
      throw StatusException.invalidArgument(
          "Could not interpret \"%s\" as a host-port pair.", address);
    }
    return new TaskAddress(host, port);
  }

  /** Parses the address of this server; INVALID_ARGUMENT if it has no port. */
  static TaskAddress parseOwn(String address) {
    int colon = address.lastIndexOf(':');
    int port = colon < 0 ? -1 : port(address.substring(colon + 1));
    if (port < 0) {
      throw StatusException.invalidArgument(
          "Could not parse port for local server from \"%s\".", address);
    }
    return new TaskAddress(address.substring(0, colon), port);
  }

  private static int port(String digits) {
    boolean isNumber = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!isNumber || digits.length() > 5) {
      return -1;
    }
    int port = Integer.parseInt(digits);
    return port > MAX_PORT ? -1 : port;
  }

  /** The host, or localhost if it is empty. */
  public String hostOrLocal() {
    return host.isEmpty() ? "localhost" : host;
  }
}
