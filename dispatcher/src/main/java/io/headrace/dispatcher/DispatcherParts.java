package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.graph.SplitSources;
import io.headrace.journal.GcsJournal;
import io.headrace.journal.GcsLocation;
import io.headrace.journal.InMemoryJournal;
import io.headrace.journal.Journal;
import io.headrace.journal.RocksDbJournal;
import io.headrace.rpc.DispatcherEpoch;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a dispatcher gets from outside: whatever is not its own logic.
 *
 * @param executor runs the turns of the loop, one at a time
 * @param ticker what time it is
 * @param timer calls back as time goes by
 * @param journal remembers
 * @param network reaches workers
 * @param random makes up the names of anonymous jobs
 * @param splitSources finds what the splits of a dataset are
 * @param limits how much is remembered at most
 * @param onClose lets go of the executor
 */
record DispatcherParts(
    Executor executor,
    Ticker ticker,
    Timer timer,
    Journal journal,
    WorkerNetwork network,
    LongSupplier random,
    SplitSources splitSources,
    DispatcherLimits limits,
    Runnable onClose)
    implements AutoCloseable {

  private static final int CLOSE_SECONDS = 5;

  /**
   * The real ones.
   *
   * @throws StatusException if the journal can't be opened; nothing is held then
   */
  static DispatcherParts system(DispatcherConfig config) {
    Journal journal = openJournal(config);
    ExecutorService loop =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("dispatcher-loop").factory());
    ExecutorService blocking =
        Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("dispatcher-sources-", 0).factory());
    LongSupplier random = RandomGenerator.getDefault()::nextLong;
    return new DispatcherParts(
        loop,
        SystemTicker.INSTANCE,
        Timer.onThread("dispatcher-timer"),
        journal,
        new GrpcWorkerNetwork(epoch(journal)),
        random,
        SplitSources.on(blocking, random),
        DispatcherLimits.defaults(),
        () -> {
          blocking.shutdownNow();
          end(loop);
        });
  }

  @Override
  public void close() {
    timer.close();
    network.close();
    onClose.run();
    journal.close();
  }

  /** By which others tell this start of the dispatcher from older ones. */
  DispatcherEpoch epoch() {
    return epoch(journal);
  }

  private static DispatcherEpoch epoch(Journal journal) {
    return new DispatcherEpoch(journal.id(), journal.epoch());
  }

  private static Journal openJournal(DispatcherConfig config) {
    if (!config.faultTolerantMode()) {
      return new InMemoryJournal();
    }
    return GcsLocation.isOne(config.workDir())
        ? GcsJournal.open(GcsLocation.parse(config.workDir(), config.gcsEndpoint()))
        : RocksDbJournal.open(Path.of(config.workDir()), config.takeOver());
  }

  private static void end(ExecutorService loop) {
    loop.shutdown();
    try {
      var _ = loop.awaitTermination(CLOSE_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
