package io.headrace.rpc;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** Parses and formats targets: "[protocol://]address"; the only protocol is grpc. */
public final class GrpcTargets {
  private static final String SEPARATOR = "://";
  private static final int MAX_PORT = 0xffff;

  /** The only protocol. */
  public static final String GRPC = "grpc";

  private GrpcTargets() {}

  /** The target of a server at {@code address}: "grpc://host:port". */
  public static String ofAddress(String address) {
    return GRPC + SEPARATOR + address;
  }

  /** The target of a server on this host: "grpc://localhost:port". */
  public static String ofLocalPort(int port) {
    return ofAddress("localhost:" + port);
  }

  /** The host in an address "host:port", without the brackets of an IPv6 address. */
  public static String host(String address) {
    int port = address.lastIndexOf(':');
    String host = port < 0 ? address : address.substring(0, port);
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * The address HOST:PORT of {@code target}, without its protocol.
   *
   * @throws StatusException INVALID_ARGUMENT if there is no address, or no port of 1 to 65535 in
   *     it; NOT_FOUND for a protocol other than grpc
   */
  public static String address(String target) {
    int separator = target.indexOf(SEPARATOR);
    if (separator >= 0) {
      requireGrpc(target.substring(0, separator));
    }
    String address = separator < 0 ? target : target.substring(separator + SEPARATOR.length());
    if (address.isBlank() || address.startsWith(":")) {
      throw StatusException.invalidArgument(
          "\"%s\" names no host; it should be [grpc://]HOST:PORT", target);
    }
    String port = port(address);
    if (port.isEmpty()) {
      throw StatusException.invalidArgument(
          "\"%s\" has no port; it should be [grpc://]HOST:PORT", target);
    }
    if (!isPort(port)) {
      throw StatusException.invalidArgument(
          "\"%s\" has the port \"%s\", and a port is a number from 1 to %d; it should be"
              + " [grpc://]HOST:PORT",
          target, port, MAX_PORT);
    }
    return address;
  }

  /** The text behind the host in {@code address}; empty if there is none. */
  private static String port(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 || colon < address.lastIndexOf(']') ? "" : address.substring(colon + 1);
  }

  private static boolean isPort(String text) {
    try {
      int port = Integer.parseInt(text);
      return port > 0 && port <= MAX_PORT;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  /** NOT_FOUND, with TensorFlow's message, unless {@code protocol} is grpc. */
  public static void requireGrpc(String protocol) {
    if (!protocol.equals(GRPC)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "No credentials factory has been registered for protocol %s. The available types are:"
              + " [ grpc ]; a target is [grpc://]HOST:PORT%s",
          protocol,
          protocol.startsWith("http")
              ? ", with the port of the service, and not that of its pages"
              : "");
    }
  }
}
