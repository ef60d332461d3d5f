package io.headrace.cluster;

import io.headrace.rpc.ReceiveBudget;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * What the process around a {@link Server} gives it.
 *
 * @param ops the ops that graphs may have
 * @param ticker measures time
 * @param random makes handles and incarnations; thread-safe
 * @param receiveBudget bounds the bytes being received; servers of a process may share it
 * @param kernelThreads how many threads run kernels
 */
public record ServerHost(
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    int kernelThreads) {
  /** A process of its own: every op on its class path, a thread for each processor. */
  public static ServerHost ofProcess() {
    return new ServerHost(
        OpRegistry.standard(),
        SystemTicker.INSTANCE,
        new SecureRandom(),
        ReceiveBudget.ofQuarterHeap(),
        Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  /** The same with another bound on the bytes being received. */
  public ServerHost withReceiveBudget(ReceiveBudget budget) {
    return new ServerHost(ops, ticker, random, budget, kernelThreads);
  }
}
