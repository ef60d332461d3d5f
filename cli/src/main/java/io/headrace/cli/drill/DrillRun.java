package io.headrace.cli.drill;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a drill. {@link #close} ends all its processes and deletes its files; it may be called
 * from any thread.
 */
public final class DrillRun implements AutoCloseable {
  private final DrillFolder folder;
  private final FaultInjection scene;
  private final DrillJob job;
  private final DrillSettings settings;
  private final long seed;
  private final Ticker ticker = SystemTicker.INSTANCE;
  private volatile @Nullable StockClient stockClient;
  private volatile boolean closed;

  private DrillRun(
      DrillFolder folder, FaultInjection scene, DrillJob job, DrillSettings settings, long seed) {
    this.folder = folder;
    this.scene = scene;
    this.job = job;
    this.settings = settings;
    this.seed = seed;
  }

  /**
   * A run of {@code scenario} on its own cluster.
   *
   * @param seed the seed of random choices
   */
  public static DrillRun of(Scenario scenario, DrillSettings settings, long seed)
      throws InterruptedException {
    DrillFolder folder = createFolder(settings);
    try {
      DrillJob job = job(folder, settings);
      return new DrillRun(
          folder,
          ScenarioInjection.in(folder.path(), scenario, settings, seed),
          job,
          settings,
          seed);
    } catch (IOException e) {
      folder.close();
      throw unusable(e);
    } catch (StatusException e) {
      folder.close();
      throw e;
    }
  }

  /**
   * A run on the cluster of the dispatcher at {@code address}; {@code command} injects the fault.
   */
  public static DrillRun ofNamed(
      String address, String command, DrillSettings settings, long seed) {
    DrillFolder folder = createFolder(settings);
    try {
      CommandInjection cluster = new CommandInjection(address, command);
      return new DrillRun(folder, cluster, job(folder, settings), settings, seed);
    } catch (IOException e) {
      folder.close();
      throw unusable(e);
    }
  }

  private static DrillJob job(DrillFolder folder, DrillSettings settings) throws IOException {
    if (settings.files() == 0) {
      return DrillJob.ofRange(settings.recordsPerFile(), settings.elementBytes());
    }
    Path data = Files.createDirectory(folder.path().resolve("data"));
    return DrillJob.ofFiles(
        data, settings.files(), settings.recordsPerFile(), settings.elementBytes());
  }

  private static DrillFolder createFolder(DrillSettings settings) {
    try {
      return DrillFolder.create(settings.folder(), settings.keep());
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private static StatusException unusable(IOException e) {
    return new StatusException(StatusCode.FAILED_PRECONDITION, "no room for the drill: " + e, e);
  }

  /**
   * Runs the drill. A StatusException means that it could not be run, so there is no verdict.
   *
   * @param listener receives each step
   */
  public RunReport run(Consumer<Step> listener) throws InterruptedException {
    Timeline timeline = new Timeline(ticker, listener);
    try {
      String target = scene.prepare(timeline);
      double seconds = settings.readSeconds().orElse(scene.readSeconds());
      try (DrillReader reader =
          DrillReader.start(client(target), job.records(), scene.demanded(), seconds, ticker)) {
        timeline.step(String.format(Locale.ROOT, "the read of %,d records begins", job.records()));
        DrillProgress stage = new DrillProgress(reader, timeline, settings.limit());
        play(stage, timeline, reader);
        return report(stage, timeline, reader);
      }
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private DrillClient client(String target) throws IOException, InterruptedException {
    if (settings.stockPython().isEmpty()) {
      return new HeadraceClient(job, target, scene.demanded());
    }
    StockClient client = StockClient.of(job, settings.stockPython().get(), target, folder.path());
    stockClient = client;
    if (closed) {
      client.close();
    }
    client.start();
    return client;
  }

  private void play(DrillProgress stage, Timeline timeline, DrillReader reader)
      throws IOException, InterruptedException {
    try {
      scene.play(stage);
    } catch (DrillProgress.Over e) {
      if (reader.isAtEnd() && !timeline.hasFaults()) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
      }
      stage.step(String.valueOf(e.getMessage()));
    } catch (StatusException e) {
      if (e.code() != StatusCode.UNAVAILABLE && e.code() != StatusCode.DEADLINE_EXCEEDED) {
        throw e;
      }
      stage.breach(String.valueOf(e.getMessage()));
    }
  }

  private RunReport report(DrillProgress stage, Timeline timeline, DrillReader reader)
      throws InterruptedException {
    boolean goesOn = stage.breaches().isEmpty();
    if (goesOn && reader.awaitEnd(settings.limit())) {
      timeline.step("the read is over");
    }
    GuaranteeCheck.Evidence evidence =
        reader.evidence(
            "the read did not end in " + settings.limit().toSeconds() + " s",
            stage.killedReaders());
    List<String> breaches = new ArrayList<>(stage.breaches());
    breaches.addAll(GuaranteeCheck.breaches(evidence));
    List<FaultReport> faults = timeline.faults(reader.waits());
    RecordCounter.Counts counts = evidence.counts();
    return new RunReport(
        seed,
        evidence.guarantee().name().toLowerCase(Locale.ROOT),
        evidence.reason(),
        counts.expected(),
        counts.delivered(),
        counts.lost(),
        counts.duplicated(),
        evidence.toldLosses(),
        evidence.limit().map(LossLimit::counted).orElse(null),
        Timeline.seconds(reader.waits().longestNanos()),
        faults.stream().mapToDouble(FaultReport::recoverySeconds).max().orElse(0),
        faults,
        timeline.steps(),
        breaches.isEmpty(),
        breaches,
        settings.keep() ? folder.path().toString() : null);
  }

  @Override
  public void close() {
    closed = true;
    StockClient reading = stockClient;
    if (reading != null) {
      reading.close();
    }
    scene.close();
    folder.close();
  }
}
