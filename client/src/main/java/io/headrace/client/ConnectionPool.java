package io.headrace.client;

import io.grpc.ManagedChannel;
import io.headrace.rpc.GrpcChannels;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A pool of the connections of a process's readers, one for each address. Unused channels are kept
 * for later iterations. Thread-safe.
 */
final class ConnectionPool {
  /** The pool of this process. */
  static final ConnectionPool SHARED = new ConnectionPool(GrpcChannels::openForManyUses);

  /**
   * The most unused channels; the least recently used ones beyond are closed. Their connections
   * have been closed by then, being idle.
   */
  private static final int MAX_UNUSED = 64;

  private final Function<String, ManagedChannel> opener;
  private final Map<String, Shared> byAddress = new LinkedHashMap<>();

  ConnectionPool(Function<String, ManagedChannel> opener) {
    this.opener = opener;
  }

  /** Opens a connection to {@code address}, which the caller closes. */
  Connection open(String address) {
    return new Connection(address, true);
  }

  /**
   * Opens a connection to {@code address} whose channel is not kept when it has no more users. The
   * caller closes it.
   */
  Connection openBriefly(String address) {
    return new Connection(address, false);
  }

  private synchronized Shared acquire(String address, boolean isKept) {
    Shared shared = byAddress.get(address);
    if (shared == null) {
      shared = new Shared(opener.apply(address));
      byAddress.put(address, shared);
    }
    shared.users++;
    shared.isKept &= isKept;
    return shared;
  }

  private synchronized void release(String address, Shared shared) {
    shared.users--;
    if (byAddress.get(address) != shared) {
      closeUnused(shared);
    } else if (shared.users == 0 && !shared.isKept) {
      byAddress.remove(address);
      closeUnused(shared);
    } else if (shared.users == 0) {
      // Move to the end: the map is ordered by last use.
      byAddress.remove(address);
      byAddress.put(address, shared);
      dropOldest();
    }
  }

  private synchronized void forget(String address, Shared shared) {
    if (byAddress.get(address) == shared) {
      byAddress.remove(address);
    }
  }

  private void dropOldest() {
    long unused = byAddress.values().stream().filter(shared -> shared.users == 0).count();
    var each = byAddress.values().iterator();
    while (unused > MAX_UNUSED && each.hasNext()) {
      Shared oldest = each.next();
      if (oldest.users == 0) {
        each.remove();
        closeUnused(oldest);
        unused--;
      }
    }
  }

  private static void closeUnused(Shared shared) {
    if (shared.users == 0) {
      shared.channel.shutdown();
    }
  }

  /** A channel and the number of its users. */
  private static final class Shared {
    final ManagedChannel channel;
    int users;

    /** Whether the channel outlives its users. */
    boolean isKept = true;

    Shared(ManagedChannel channel) {
      this.channel = channel;
    }
  }

  /** A user's handle of a shared connection. Idempotent to close. Thread-safe. */
  final class Connection implements AutoCloseable {
    private final String address;
    private final boolean isKept;
    private Shared shared;
    private boolean closed;

    private Connection(String address, boolean isKept) {
      this.address = address;
      this.isKept = isKept;
      this.shared = acquire(address, isKept);
    }

    /**
     * The shared channel; resets its connect back-off, so that it reconnects at once if need be.
     */
    synchronized ManagedChannel channel() {
      shared.channel.resetConnectBackoff();
      return shared.channel;
    }

    /** Switches to a new connection: the peer may have vanished without closing this one. */
    synchronized void renew() {
      if (!closed) {
        Shared old = shared;
        forget(address, old);
        shared = acquire(address, isKept);
        release(address, old);
      }
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        release(address, shared);
      }
    }
  }
}
