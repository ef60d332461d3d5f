package io.headrace.dispatcher.decide;

/**
 * Tickets for join requests that replace other clients. A ticket is valid until a later one is
 * used. So when one process succeeds another in the same place, a delayed request of the
 * predecessor can't replace the successor. Tickets of another dispatcher process are invalid. Not
 * thread-safe.
 */
public final class JoinTickets {
  private final long origin;
  private long numIssued;
  private long lastUsed;

  /**
   * Tickets of a dispatcher process, which {@code random} distinguishes from those of other
   * processes.
   */
  public JoinTickets(long random) {
    origin = (random >>> 1) + 1;
  }

  /** A ticket later than all earlier ones; never 0. */
  long issue() {
    return origin + ++numIssued;
  }

  boolean isValid(long ticket) {
    long number = ticket - origin;
    return number > lastUsed && number <= numIssued;
  }

  void use(long ticket) {
    lastUsed = ticket - origin;
  }
}
