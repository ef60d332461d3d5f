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
 * @param peerTimeout how long another task that is waited for may be silent, once it was asked for
 *     a sign of life; then it is taken for lost
 */
public record ServerHost(
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    int kernelThreads,
    Duration peerTimeout) {
  /** The {@link #peerTimeout} of {@link #ofProcess}. */
  public static final Duration DEFAULT_PEER_TIMEOUT = Duration.ofSeconds(30);

  /** Fails with INVALID_ARGUMENT unless there are threads, and the time is positive. */
  public ServerHost {
    if (kernelThreads < 1) {
      throw StatusException.invalidArgument("kernelThreads must be positive: %d", kernelThreads);
    }
    if (!peerTimeout.isPositive()) {
      throw StatusException.invalidArgument("peerTimeout must be positive: %s", peerTimeout);
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
        DEFAULT_PEER_TIMEOUT);
  }

  /** The same with another bound on the bytes being received. */
  public ServerHost withReceiveBudget(ReceiveBudget budget) {
    return new ServerHost(ops, ticker, random, budget, kernelThreads, peerTimeout);
  }

  /** The same with another bound on how long other tasks may be silent. */
  public ServerHost withPeerTimeout(Duration timeout) {
    return new ServerHost(ops, ticker, random, receiveBudget, kernelThreads, timeout);
  }
}
