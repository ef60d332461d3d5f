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
 * @param timeouts when peers are taken for lost
 */
public record ServerHost(
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    int kernelThreads,
    Timeouts timeouts) {
  /**
   * When peers are taken for lost.
   *
   * @param peer how long another task that is waited for may be silent, once it was asked for a
   *     sign of life
   * @param session how long a session may be unused before it is closed, for its client may be
   *     gone; zero for as long as the server lives, as TensorFlow has it
   */
  public record Timeouts(Duration peer, Duration session) {
    /** Half a minute for tasks, and no end for sessions. */
    public static final Timeouts DEFAULT = new Timeouts(Duration.ofSeconds(30), Duration.ZERO);

    /** Fails with INVALID_ARGUMENT for a time that is none. */
    public Timeouts {
      if (!peer.isPositive() || session.isNegative()) {
        throw StatusException.invalidArgument(
            "tasks must have some time, and sessions not less than none: %s, %s", peer, session);
      }
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
