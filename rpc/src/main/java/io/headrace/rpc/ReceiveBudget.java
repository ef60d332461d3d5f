package io.headrace.rpc;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on the bytes of messages in receipt over all connections of a process. The servers of a
 * process may share it. Thread-safe.
 */
public final class ReceiveBudget {
  private static final Logger LOGGER = System.getLogger(ReceiveBudget.class.getName());

  private final long limitBytes;
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();

  private ReceiveBudget(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** A budget of {@code bytes}, which must be positive. */
  public static ReceiveBudget ofBytes(long bytes) {
    if (bytes < 1) {
      throw StatusException.invalidArgument(
          "the bytes being received must be bounded by at least 1, got %d", bytes);
    }
    return new ReceiveBudget(bytes);
  }

  /** The default: a quarter of this JVM's maximal heap. */
  public static ReceiveBudget ofQuarterHeap() {
    return ofBytes(Math.max(1, Runtime.getRuntime().maxMemory() / 4));
  }

  /** The bound in bytes. */
  public long limitBytes() {
    return limitBytes;
  }

  /** The bytes that are acquired now. */
  public long heldBytes() {
    return heldBytes.get();
  }

  /**
   * Acquires {@code bytes} for {@code peer}; the caller releases them.
   *
   * @throws StatusException RESOURCE_EXHAUSTED, naming the peer, if the bound would be exceeded;
   *     then nothing is acquired
   */
  public void acquire(long bytes, Object peer) {
    long held = heldBytes.addAndGet(bytes);
    if (held > limitBytes) {
      heldBytes.addAndGet(-bytes);
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a message from %s exceeds the receive budget: %d bytes of %d are in use",
          peer,
          held - bytes,
          limitBytes);
    }
  }

  /** Logs a refusal: only the first, second, fourth, eighth and so on, lest a peer fill the log. */
  void refused(Object peer, String why) {
    long number = refusals.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      LOGGER.log(
          Level.WARNING,
          "refused a message from {0}, number {1}: {2}",
          peer,
          Long.toString(number),
          why);
    }
  }

  /** Releases acquired bytes. */
  public void release(long bytes) {
    heldBytes.addAndGet(-bytes);
  }
}
