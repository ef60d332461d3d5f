package io.headrace.dispatcher.decide;

/**
 * Tickets for requests that take the places of others. One is valid until a later one is used, so
 * that of two processes that go on in one place, one after the other, the first can't come after
 * the second, however late its request arrives. Tickets of another process of the dispatcher are
 * not valid. Not thread-safe.
 */
public final class JoinTickets {
  private final long origin;
  private long numIssued;
  private long lastUsed;

  /** Tickets that are told from those of other processes by a random number. */
  public JoinTickets(long random) {
    origin = (random >>> 1) + 1;
  }

  /** A ticket that is later than all before; not 0. */
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
