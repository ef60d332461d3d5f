package io.headrace.gpu.check;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.gpu.check.CheckPoint.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The points of all parts that were run on one GPU with one driver, in {@code verdict.json} and, to
 * be read, in {@code verdict.md}. Parts that are run later are added; on another GPU or driver, the
 * verdict begins anew.
 */
final class Verdict {
  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  private final String gpu;
  private final String driver;
  private final String build;
  private final Map<CheckPart, List<CheckPoint>> parts = new EnumMap<>(CheckPart.class);

  /**
   * An empty verdict.
   *
   * @param gpu the device's name and description
   * @param driver the driver's version
   * @param build what was checked: a commit
   */
  Verdict(String gpu, String driver, String build) {
    this.gpu = gpu;
    this.driver = driver;
    this.build = build;
  }

  /** Adds the points of a part, instead of those that it had. */
  void put(CheckPart part, List<CheckPoint> points) {
    parts.put(part, List.copyOf(points));
  }

  /**
   * Takes the parts of the verdict in {@code folder}, if it is of the same GPU, driver and build.
   */
  void addFrom(Path folder) throws IOException {
    Path file = folder.resolve("verdict.json");
    if (!Files.exists(file)) {
      return;
    }
    JsonObject all = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    if (!all.get("gpu").getAsString().equals(gpu)
        || !all.get("driver").getAsString().equals(driver)
        || !all.get("build").getAsString().equals(build)) {
      return;
    }
    for (JsonElement each : all.getAsJsonArray("parts")) {
      JsonObject one = each.getAsJsonObject();
      CheckPart.named(one.get("part").getAsString())
          .ifPresent(part -> put(part, points(one.getAsJsonArray("points"))));
    }
  }

  /** The points of a list in JSON. */
  static List<CheckPoint> points(JsonArray list) {
    List<CheckPoint> points = new ArrayList<>();
    for (JsonElement each : list) {
      JsonObject one = each.getAsJsonObject();
      points.add(
          new CheckPoint(
              one.get("name").getAsString(),
              Outcome.valueOf(one.get("outcome").getAsString()),
              one.get("text").getAsString()));
    }
    return points;
  }

  /** A list in JSON. */
  static JsonArray json(List<CheckPoint> points) {
    JsonArray list = new JsonArray();
    for (CheckPoint point : points) {
      JsonObject one = new JsonObject();
      one.addProperty("name", point.name());
      one.addProperty("outcome", point.outcome().name());
      one.addProperty("text", point.text());
      list.add(one);
    }
    return list;
  }

  /** How many points of all parts came out so. */
  long count(Outcome outcome) {
    return parts.values().stream()
        .flatMap(List::stream)
        .filter(point -> point.outcome() == outcome)
        .count();
  }

  /** FAIL if a point failed, SKIPPED if none passed, PASS otherwise. */
  Outcome outcome() {
    if (count(Outcome.FAIL) > 0) {
      return Outcome.FAIL;
    }
    return count(Outcome.PASS) > 0 ? Outcome.PASS : Outcome.SKIPPED;
  }

  /** The counts, in words. */
  String summary() {
    return "%s: %d passed, %d failed, %d skipped"
        .formatted(outcome(), count(Outcome.PASS), count(Outcome.FAIL), count(Outcome.SKIPPED));
  }

  /** Writes both files. */
  void write(Path folder) throws IOException {
    JsonObject all = new JsonObject();
    all.addProperty("gpu", gpu);
    all.addProperty("driver", driver);
    all.addProperty("build", build);
    all.addProperty("outcome", outcome().name());
    all.addProperty("passed", count(Outcome.PASS));
    all.addProperty("failed", count(Outcome.FAIL));
    all.addProperty("skipped", count(Outcome.SKIPPED));
    JsonArray list = new JsonArray();
    parts.forEach((part, points) -> {
      JsonObject one = new JsonObject();
      one.addProperty("part", part.title());
      one.add("points", json(points));
      list.add(one);
    });
    all.add("parts", list);
    Files.writeString(folder.resolve("verdict.json"), GSON.toJson(all) + "\n");
    Files.writeString(folder.resolve("verdict.md"), page());
  }

  private String page() {
    StringBuilder page = new StringBuilder();
    page.append("# Headrace on ").append(gpu).append("\n\n");
    page.append("- driver: ").append(driver).append('\n');
    page.append("- build: ").append(build).append('\n');
    page.append("- ").append(summary()).append('\n');
    parts.forEach((part, points) -> {
      page.append("\n## ").append(part.title()).append(": ").append(part.description());
      page.append("\n\n| | point | found |\n|---|---|---|\n");
      for (CheckPoint point : points) {
        page.append(
            "| %s | %s | %s |%n"
                .formatted(point.outcome(), cell(point.name()), cell(point.text())));
      }
    });
    return page.toString();
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replaceAll("\\s+", " ");
  }
}
