package io.headrace.cluster;

import io.headrace.rpc.ReceiveBudget;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * What the process around a {@link Server} gives it.
 *
 * @param ops the ops that graphs may have
 * @param ticker measures time
 * @param random makes handles and incarnations; thread-safe
 * @param receiveBudget bounds the bytes being received; servers of a process may share it
 * @param kernelThreads how many threads run kernels
 * @param timeouts when peers are taken for lost, and how long a stop waits
 */
public record ServerHost(
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    int kernelThreads,
    Timeouts timeouts) {
  /**
   * When peers are taken for lost, and how long a stop waits.
   *
   * @param peer how long another task that is waited for may be silent, once it was asked for a
   *     sign of life
   * @param session how long a session may be unused before it is closed, for its client may be
   *     gone; zero for as long as the server lives, as TensorFlow has it
   * @param stop how long steps that run when the server is stopped may go on, before they are
   *     aborted; zero for not at all
   */
  public record Timeouts(Duration peer, Duration session, Duration stop) {
    /** Half a minute for tasks, no end for sessions, ten seconds for steps of a stopped server. */
    public static final Timeouts DEFAULT =
        new Timeouts(Duration.ofSeconds(30), Duration.ZERO, Duration.ofSeconds(10));

    /** Fails with INVALID_ARGUMENT for a time that is none. */
    public Timeouts {
      if (!peer.isPositive() || session.isNegative() || stop.isNegative()) {
        throw StatusException.invalidArgument(
            "tasks must have some time, sessions and a stop not less than none: %s, %s, %s",
            peer, session, stop);
      }
    }

    /** The same with another time for tasks that are silent. */
    public Timeouts withPeer(Duration other) {
      return new Timeouts(other, session, stop);
    }

    /** The same with another time for sessions that are unused. */
    public Timeouts withSession(Duration other) {
      return new Timeouts(peer, other, stop);
    }

    /** The same with another time for the steps of a server that is stopped. */
    public Timeouts withStop(Duration other) {
      return new Timeouts(peer, session, other);
    }
  }

  /** Fails with INVALID_ARGUMENT unless there are threads. */
  public ServerHost {
    if (kernelThreads < 1) {
      throw StatusException.invalidArgument("kernelThreads must be positive: %d", kernelThreads);
    }
  }

  /** A process of its own: every op on its class path, a thread for each processor. */
  public static ServerHost ofProcess() {
    return new ServerHost(
        OpRegistry.standard(),
        SystemTicker.INSTANCE,
        new SecureRandom(),
        ReceiveBudget.ofQuarterHeap(),
        Math.max(2, Runtime.getRuntime().availableProcessors()),
        Timeouts.DEFAULT);
  }

  /** The same with another bound on the bytes being received. */
  public ServerHost withReceiveBudget(ReceiveBudget budget) {
    return new ServerHost(ops, ticker, random, budget, kernelThreads, timeouts);
  }

  /** The same with other timeouts. */
  public ServerHost withTimeouts(Timeouts others) {
    return new ServerHost(ops, ticker, random, receiveBudget, kernelThreads, others);
  }
}
