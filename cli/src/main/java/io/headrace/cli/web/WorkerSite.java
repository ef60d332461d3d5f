package io.headrace.cli.web;

import com.google.gson.JsonObject;
import io.headrace.worker.WorkerCounts;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A worker's page and its JSON. Thread-safe. */
public final class WorkerSite {
  private WorkerSite() {}

  /**
   * Adds the site to {@code routes}.
   *
   * @param routes the routes of its server
   * @param address the worker's address
   * @param dispatcher the address of its dispatcher
   * @param counts gives the worker's figures
   */
  public static void addTo(
      Routes routes, Supplier<String> address, String dispatcher, Supplier<WorkerCounts> counts) {
    PageFiles.addTo(routes, "worker");
    routes.add(
        "/api/worker",
        _ -> {
          JsonObject worker = new JsonObject();
          WorkerCounts now = counts.get();
          worker.addProperty("address", now.registered() ? address.get() : "");
          worker.addProperty("dispatcher", dispatcher);
          addTo(worker, now);
          return Answer.json(worker);
        });
    routes.add("/health", _ -> Answer.json(health(counts.get())));
  }

  private static JsonObject health(WorkerCounts counts) {
    JsonObject health = new JsonObject();
    health.addProperty("registered", counts.registered());
    return health;
  }

  private static void addTo(JsonObject worker, WorkerCounts counts) {
    worker.addProperty("registered", counts.registered());
    worker.addProperty("tasks", counts.tasks());
    worker.addProperty("deleted_tasks", counts.deletedTasks());
    worker.addProperty("rows", counts.rows());
    worker.addProperty("bytes", counts.bytes());
    worker.addProperty("empty_seconds", counts.emptySeconds());
    worker.addProperty("withheld_seconds", counts.withheldSeconds());
    worker.addProperty("full_seconds", counts.fullSeconds());
    JsonObject stages = new JsonObject();
    new TreeMap<>(counts.stages())
        .forEach((name, stage) -> {
          JsonObject json = new JsonObject();
          json.addProperty("rows", stage.rows());
          json.addProperty("busy_seconds", stage.busySeconds());
          json.addProperty("starved_seconds", stage.starvedSeconds());
          stages.add(name, json);
        });
    worker.add("stages", stages);
  }
}
