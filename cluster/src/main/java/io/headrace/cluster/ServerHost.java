package io.headrace.cluster;

import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The environment of a {@link Server} in its process: ops, time, randomness, threads and limits.
 *
 * @param ops the op registry for graphs
 * @param ticker measures time
 * @param random generates handles and incarnations; thread-safe
 * @param receiveBudget bounds the bytes of requests in receipt; servers of a process may share it
 * @param kernelThreads the size of the pool that runs kernels
 * @param timeouts the timeouts of peers, sessions and of a stop
 * @param accelerators opens the devices beside the CPUs, by the server's session config; the server
 *     closes them
 */
public record ServerHost(
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    int kernelThreads,
    Timeouts timeouts,
    Function<ConfigProto, List<Accelerator>> accelerators) {
  /**
   * The timeouts of peers, sessions and of a stop.
   *
   * @param peer how long a task with outstanding calls may leave a keep-alive probe (GetStatus)
   *     unanswered before it is considered lost
   * @param session how long a session may be idle before it is closed, in case its client is gone;
   *     zero for no limit, as in TensorFlow
   * @param stop how long a stop waits for running steps before it aborts them; zero to abort at
   *     once
   */
  public record Timeouts(Duration peer, Duration session, Duration stop) {
    /** 30 s for peers, no limit for idle sessions, 10 s for the steps of a stopping server. */
    public static final Timeouts DEFAULT =
        new Timeouts(Duration.ofSeconds(30), Duration.ZERO, Duration.ofSeconds(10));

    /** INVALID_ARGUMENT unless {@code peer} is positive and the others are not negative. */
    public Timeouts {
      if (!peer.isPositive() || session.isNegative() || stop.isNegative()) {
        throw StatusException.invalidArgument(
            "the peer timeout must be positive, those of sessions and a stop not negative:"
                + " %s, %s, %s",
            peer, session, stop);
      }
    }

    /** A copy with another peer timeout. */
    public Timeouts withPeer(Duration other) {
      return new Timeouts(other, session, stop);
    }

    /** A copy with another timeout of idle sessions. */
    public Timeouts withSession(Duration other) {
      return new Timeouts(peer, other, stop);
    }

    /** A copy with another stop timeout. */
    public Timeouts withStop(Duration other) {
      return new Timeouts(peer, session, other);
    }
  }

  /** INVALID_ARGUMENT unless {@code kernelThreads} is positive. */
  public ServerHost {
    if (kernelThreads < 1) {
      throw StatusException.invalidArgument("kernelThreads must be positive: %d", kernelThreads);
    }
  }

  /**
   * The defaults for a process: every op on its class path, a kernel thread per processor (at least
   * two), a quarter of the heap for requests in receipt.
   */
  public static ServerHost ofProcess() {
    return new ServerHost(
        OpRegistry.standard(),
        SystemTicker.INSTANCE,
        new SecureRandom(),
        ReceiveBudget.ofQuarterHeap(),
        Math.max(2, Runtime.getRuntime().availableProcessors()),
        Timeouts.DEFAULT,
        _ -> List.of());
  }

  /** A copy with another receive budget. */
  public ServerHost withReceiveBudget(ReceiveBudget budget) {
    return new ServerHost(ops, ticker, random, budget, kernelThreads, timeouts, accelerators);
  }

  /** A copy with other timeouts. */
  public ServerHost withTimeouts(Timeouts others) {
    return new ServerHost(ops, ticker, random, receiveBudget, kernelThreads, others, accelerators);
  }

  /** A copy with other devices beside the CPUs. */
  public ServerHost withAccelerators(Function<ConfigProto, List<Accelerator>> others) {
    return new ServerHost(ops, ticker, random, receiveBudget, kernelThreads, timeouts, others);
  }
}
