package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.DeviceSet.ClusterDevice;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Discovers the devices of the tasks of a session: calls GetStatus on each and waits until all have
 * answered.
 */
final class DeviceDiscovery {
  private static final Logger LOGGER = System.getLogger(DeviceDiscovery.class.getName());
  private static final long LOG_SECONDS = 10;

  /**
   * The longest margin by which discovery fails before the client's deadline, so that the client
   * gets the names of the missing tasks.
   */
  private static final long MARGIN_MILLIS = 1000;

  private static final int MARGIN_PART = 5;

  private final Map<DeviceSpec, CompletableFuture<List<ClusterDevice>>> answers =
      new LinkedHashMap<>();
  private final Cancellation asking;

  private DeviceDiscovery(Cancellation asking) {
    this.asking = asking;
  }

  /**
   * The devices of {@code workers}.
   *
   * @param self the task of the master
   * @param timeoutMillis how long the client of the session waits, in ms; 0 for no limit
   * @throws StatusException DEADLINE_EXCEEDED, naming the tasks that did not answer in that time
   */
  static DeviceSet devices(
      DeviceSpec self,
      Map<DeviceSpec, WorkerPeer> workers,
      long timeoutMillis,
      MasterHost host,
      Cancellation client) {
    DeviceDiscovery discovery = new DeviceDiscovery(client.child());
    discovery.ask(self, workers);
    List<ScheduledFuture<?>> timers = new ArrayList<>();
    timers.add(
        host.timer()
            .scheduleAtFixedRate(
                discovery::logMissing, LOG_SECONDS, LOG_SECONDS, TimeUnit.SECONDS));
    if (timeoutMillis > 0) {
      long margin = Math.min(MARGIN_MILLIS, timeoutMillis / MARGIN_PART);
      timers.add(
          host.timer()
              .schedule(
                  () -> discovery.giveUp(timeoutMillis),
                  timeoutMillis - margin,
                  TimeUnit.MILLISECONDS));
    }
    try {
      FutureWaits.awaitAll(discovery.answers.values());
    } finally {
      timers.forEach(timer -> timer.cancel(false));
    }
    return new DeviceSet(
        discovery.answers.values().stream().flatMap(answer -> answer.join().stream()).toList());
  }

  private void ask(DeviceSpec self, Map<DeviceSpec, WorkerPeer> workers) {
    workers.forEach((peer, stub) ->
        answers.put(
            peer,
            stub.status(asking).thenApply(found -> DeviceSet.of(peer, found, peer.equals(self)))));
  }

  private Map<DeviceSpec, CompletableFuture<List<ClusterDevice>>> missing() {
    Map<DeviceSpec, CompletableFuture<List<ClusterDevice>>> missing = new LinkedHashMap<>(answers);
    missing.values().removeIf(CompletableFuture::isDone);
    return missing;
  }

  private void logMissing() {
    missing()
        .keySet()
        .forEach(peer ->
            LOGGER.log(
                Level.INFO, "CreateSession still waiting for response from worker: {0}", peer));
  }

  private void giveUp(long timeoutMillis) {
    Map<DeviceSpec, CompletableFuture<List<ClusterDevice>>> missing = missing();
    StatusException failure =
        StatusException.of(
            StatusCode.DEADLINE_EXCEEDED,
            "CreateSession was to take no longer than operation_timeout_in_ms, %d, and had no"
                + " response from %s; a session that does not need a task can leave it out by"
                + " device_filters",
            timeoutMillis,
            missing.keySet().stream().map(DeviceSpec::toString).collect(Collectors.joining(", ")));
    missing.values().forEach(answer -> answer.completeExceptionally(failure));
    asking.cancel();
  }
}
