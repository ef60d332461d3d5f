package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A scenario on its own cluster. */
final class ScenarioInjection implements FaultInjection {
  private final Scenario scenario;
  private final Guarantee demanded;
  private final double faultSeconds;
  private final long seed;
  private final Optional<FullDisk> disk;
  private final DrillCluster cluster;

  private ScenarioInjection(
      Scenario scenario,
      Guarantee demanded,
      double faultSeconds,
      long seed,
      Optional<FullDisk> disk,
      DrillCluster cluster) {
    this.scenario = scenario;
    this.demanded = demanded;
    this.faultSeconds = faultSeconds;
    this.seed = seed;
    this.disk = disk;
    this.cluster = cluster;
  }

  /** A cluster with its files in {@code folder}, not started yet. */
  static ScenarioInjection in(Path folder, Scenario scenario, DrillSettings settings, long seed)
      throws IOException, InterruptedException {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    return new ScenarioInjection(
        scenario,
        settings.stockPython().isPresent() ? Guarantee.AT_MOST_ONCE : Guarantee.EXACTLY_ONCE,
        settings.faultSeconds().orElse(scenario.faultSeconds()),
        seed,
        scenario.fillsDisk() ? Optional.of(fullDisk(disk)) : Optional.empty(),
        DrillCluster.of(
            new DrillCluster.Plan(
                settings.program(), folder, disk.resolve("work_dir"), settings.workers())));
  }

  private static FullDisk fullDisk(Path directory) throws InterruptedException {
    Optional<FullDisk> found = Tmpfs.mount(directory);
    if (found.isEmpty()) {
      found = FileSizeLimit.find();
    }
    return found.orElseThrow(() ->
        new StatusException(
            StatusCode.FAILED_PRECONDITION,
            "no disk can be filled here: only root may mount a tmpfs, and there is no prlimit"
                + " command"));
  }

  @Override
  public String prepare(Timeline timeline) throws IOException, InterruptedException {
    cluster.start();
    timeline.step(
        "a dispatcher and " + cluster.workerCount() + " workers serve, at " + cluster.address());
    return "grpc://" + cluster.address();
  }

  @Override
  public void play(DrillProgress stage)
      throws IOException, InterruptedException, DrillProgress.Over {
    scenario.run(stage, new Faults(cluster, disk, stage), faultSeconds, seed);
  }

  /**
   * All servers are ours, and the job's pipeline reports origins, so exactly-once must be possible
   * with Headrace's reader.
   */
  @Override
  public Optional<Guarantee> demanded() {
    return Optional.of(demanded);
  }

  @Override
  public double readSeconds() {
    return scenario.readSeconds();
  }

  @Override
  public void close() {
    cluster.close();
    disk.ifPresent(FullDisk::close);
  }
}
