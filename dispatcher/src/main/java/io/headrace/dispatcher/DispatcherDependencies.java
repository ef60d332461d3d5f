package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.graph.SourceEvaluation;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.journal.GcsJournal;
import io.headrace.journal.GcsLocation;
import io.headrace.journal.InMemoryJournal;
import io.headrace.journal.Journal;
import io.headrace.journal.RocksDbJournal;
import io.headrace.rpc.DispatcherEpoch;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import io.opentelemetry.api.metrics.Meter;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The dependencies of a dispatcher, which tests replace.
 *
 * @param executor runs the commit loop's turns, one at a time
 * @param background runs what may block or take long, never on the loop
 * @param ticker the clock
 * @param timer runs the periodic checks
 * @param journal keeps the records
 * @param network calls workers
 * @param random draws the nonces of anonymous jobs and the seeds of tickets
 * @param splitSources finds the split sources of datasets
 * @param limits bounds on the state
 * @param meter makes instruments
 * @param onClose shuts the executors down
 */
record DispatcherDependencies(
    Executor executor,
    Executor background,
    Ticker ticker,
    Timer timer,
    Journal journal,
    WorkerNetwork network,
    LongSupplier random,
    SplitSourceFinder splitSources,
    DispatcherLimits limits,
    Meter meter,
    Runnable onClose)
    implements AutoCloseable {

  private static final int CLOSE_SECONDS = 5;

  /**
   * The production dependencies.
   *
   * @throws StatusException if the journal can't be opened; no resources are held then
   */
  static DispatcherDependencies system(DispatcherConfig config, Meter meter) {
    Journal journal = openJournal(config);
    ExecutorService loop =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("dispatcher-loop").factory());
    ExecutorService blocking =
        Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("dispatcher-background-", 0).factory());
    LongSupplier random = RandomGenerator.getDefault()::nextLong;
    return new DispatcherDependencies(
        loop,
        blocking,
        SystemTicker.INSTANCE,
        Timer.onThread("dispatcher-timer"),
        journal,
        new GrpcWorkerNetwork(epoch(journal)),
        random,
        SplitSourceFinder.on(blocking, SourceEvaluation.on(blocking), random),
        DispatcherLimits.defaults(),
        meter,
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

  /** The epoch by which peers distinguish this dispatcher process from earlier ones. */
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
    return GcsLocation.isBucketUrl(config.workDir())
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
