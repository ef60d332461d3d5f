package io.headrace.cluster.spec;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.headrace.proto.tensorflow.ClusterDef;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as users write it, with the task of this process if given: JSON ({@code {"ps":
 * ["host:2221"], "worker": {"0": "host:2222"}}}), the JSON of TensorFlow's environment variable
 * TF_CONFIG, or a ClusterDef in its text or binary form.
 *
 * @param cluster the jobs and tasks
 * @param jobName the job of this process, if given
 * @param taskIndex the task of this process, if given
 */
public record ClusterConfig(
    ClusterSpec cluster, Optional<String> jobName, Optional<Integer> taskIndex) {
  /** The name of TensorFlow's environment variable. */
  public static final String TF_CONFIG = "TF_CONFIG";

  /** Parses the variable TF_CONFIG of {@code environment}; empty if it is not set. */
  public static Optional<ClusterConfig> ofEnvironment(Map<String, String> environment) {
    String text = environment.get(TF_CONFIG);
    return text == null || text.isBlank()
        ? Optional.empty()
        : Optional.of(ofBytes(text.getBytes(UTF_8), TF_CONFIG));
  }

  /** Parses {@code file}; INVALID_ARGUMENT, naming the file, if it has none of the forms. */
  public static ClusterConfig ofFile(Path file) {
    return ofBytes(bytesOf(file), file.toString());
  }

  /** Parses {@code text}; {@code source} names it in messages. */
  public static ClusterConfig ofText(String text, String source) {
    return ofBytes(text.getBytes(UTF_8), source);
  }

  /** The ConfigProto in {@code file}: JSON, text or binary. */
  public static ConfigProto sessionConfig(Path file) {
    byte[] bytes = bytesOf(file);
    ConfigProto.Builder config = ConfigProto.newBuilder();
    if (isJson(bytes)) {
      try {
        JsonFormat.parser().merge(new String(bytes, UTF_8), config);
        return config.build();
      } catch (InvalidProtocolBufferException e) {
        throw StatusException.invalidArgument(
            "%s holds no ConfigProto: %s", file, firstLine(e.getMessage()));
      }
    }
    merge(bytes, config, file.toString(), "ConfigProto");
    return config.build();
  }

  private static byte[] bytesOf(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw StatusException.invalidArgument(
          "%s can't be read: %s", file, e.getClass().getSimpleName());
    }
  }

  private static boolean isJson(byte[] bytes) {
    String start = new String(bytes, 0, Math.min(bytes.length, 64), UTF_8).stripLeading();
    return start.startsWith("{");
  }

  private static ClusterConfig ofBytes(byte[] bytes, String source) {
    if (isJson(bytes)) {
      return ofJson(new String(bytes, UTF_8), source);
    }
    ClusterDef.Builder cluster = ClusterDef.newBuilder();
    merge(bytes, cluster, source, "ClusterDef");
    return new ClusterConfig(ClusterSpec.of(cluster.build()), Optional.empty(), Optional.empty());
  }

  private static void merge(byte[] bytes, Message.Builder into, String source, String what) {
    try {
      TextFormat.merge(new String(bytes, UTF_8), into);
      return;
    } catch (TextFormat.ParseException e) {
      into.clear();
    }
    try {
      into.mergeFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "%s holds no %s, neither as JSON nor in text or binary form".formatted(source, what),
          e);
    }
  }

  private static ClusterConfig ofJson(String text, String source) {
    try {
      JsonObject json = JsonParser.parseString(text).getAsJsonObject();
      @Nullable JsonElement cluster = json.get("cluster");
      if (cluster == null || !cluster.isJsonObject()) {
        return new ClusterConfig(spec(json), Optional.empty(), Optional.empty());
      }
      JsonObject task = json.has("task") ? json.getAsJsonObject("task") : new JsonObject();
      return new ClusterConfig(
          spec(cluster.getAsJsonObject()),
          Optional.ofNullable(task.get("type")).map(JsonElement::getAsString),
          Optional.ofNullable(task.get("index")).map(JsonElement::getAsInt));
    } catch (JsonParseException
        | IllegalStateException
        | UnsupportedOperationException
        | ClassCastException
        | NumberFormatException e) {
      throw StatusException.invalidArgument(
          "%s is not like {\"ps\": [\"host:2221\"], \"worker\": {\"0\": \"host:2222\"}}: %s",
          source, firstLine(e.getMessage()));
    }
  }

  private static ClusterSpec spec(JsonObject jobs) {
    Map<String, Map<Integer, String>> result = new LinkedHashMap<>();
    jobs.entrySet().forEach(job -> result.put(job.getKey(), tasks(job.getValue())));
    return ClusterSpec.ofSparse(result);
  }

  private static Map<Integer, String> tasks(JsonElement job) {
    Map<Integer, String> tasks = new TreeMap<>();
    if (job.isJsonArray()) {
      job.getAsJsonArray().forEach(address -> tasks.put(tasks.size(), address.getAsString()));
    } else {
      job.getAsJsonObject()
          .entrySet()
          .forEach(
              task -> tasks.put(Integer.parseInt(task.getKey()), task.getValue().getAsString()));
    }
    return tasks;
  }

  private static String firstLine(@Nullable String message) {
    return String.valueOf(message).lines().findFirst().orElse("");
  }
}
