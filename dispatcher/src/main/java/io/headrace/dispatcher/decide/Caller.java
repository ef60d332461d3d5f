package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.net.InetAddress;

/**
 * The process that makes a call, as far as the dispatcher can tell. A worker of ours names its
 * incarnation, which nobody else knows: it is drawn at random, and the dispatcher has confirmed it
 * at the worker's address. A stock worker is known by the host that it registered from.
 *
 * @param incarnation the incarnation that the call names; 0 for none
 * @param host the address of its host; empty for a caller in the dispatcher's own process, which
 *     may say anything
 */
public record Caller(long incarnation, String host) {
  /** A caller in the dispatcher's own process. */
  public static final Caller IN_PROCESS = new Caller(0, "");

  private static final String LOOPBACK = "loopback";

  /** The caller of a call from {@code address}; all loopback addresses are one host. */
  public static Caller from(long incarnation, InetAddress address) {
    return new Caller(incarnation, hostAt(address));
  }

  /** The host at {@code address}, as {@link #host} names it. */
  public static String hostAt(InetAddress address) {
    return address.isLoopbackAddress() ? LOOPBACK : address.getHostAddress();
  }

  /** Whether the caller is in the dispatcher's own process. */
  public boolean isInProcess() {
    return host.isEmpty();
  }

  /**
   * Requires a caller on the dispatcher's own host.
   *
   * @param call the name of the call, for the refusal
   * @throws StatusException PERMISSION_DENIED otherwise
   */
  public void requireOperator(String call) {
    if (!isInProcess() && !host.equals(LOOPBACK)) {
      throw StatusException.of(
          StatusCode.PERMISSION_DENIED,
          "%s changes something, and is for operators on the dispatcher's own host: call it there,"
              + " at a loopback address such as 127.0.0.1 (this call came from %s)",
          call,
          host);
    }
  }

  /** Whether the caller may speak for {@code worker}. */
  public boolean isOf(RegisteredWorker worker) {
    if (isInProcess()) {
      return true;
    }
    return worker.isStock()
        ? worker.host().isEmpty() || worker.host().equals(host)
        : worker.incarnation() == incarnation;
  }

  /** The refusal of a call that only the worker at {@code address} may make. */
  public StatusException refused(String call, String address) {
    return StatusException.of(
        StatusCode.PERMISSION_DENIED,
        "%s is for the process of worker %s, and came from another one, at %s",
        call,
        address,
        host);
  }
}
