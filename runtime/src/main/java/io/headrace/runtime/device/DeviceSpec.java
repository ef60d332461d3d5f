package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device specification, full or partial: {@code /job:J/replica:R/task:T/device:TYPE:N}. A missing
 * part matches any value. Immutable.
 *
 * @param job the job name
 * @param replica the replica
 * @param task the task index within the job
 * @param type the device type, as {@code CPU}
 * @param id the index among devices of that type
 */
public record DeviceSpec(
    Optional<String> job,
    Optional<Integer> replica,
    Optional<Integer> task,
    Optional<String> type,
    Optional<Integer> id) {
  /** The empty specification, which matches every device. */
  public static final DeviceSpec ANY =
      new DeviceSpec(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private static final String ANYTHING = "*";

  /** One part; {@code /cpu:0} and {@code /gpu:0} are legacy forms. */
  private static final Pattern PART =
      Pattern.compile(
          "/job:(?<job>\\*|[A-Za-z]\\w*)"
              + "|/replica:(?<replica>\\*|\\d{1,9})"
              + "|/task:(?<task>\\*|\\d{1,9})"
              + "|/device:(?<type>\\*|[A-Za-z]\\w*)(?::(?<id>\\*|\\d{1,9}))?"
              + "|/(?<short>cpu|CPU|gpu|GPU):(?<shortId>\\*|\\d{1,9})");

  private static final Pattern JOB = Pattern.compile("[A-Za-z]\\w*");

  /** The task {@code task} of {@code job}, any device. */
  public static DeviceSpec ofTask(String job, int task) {
    return new DeviceSpec(
        Optional.of(job), Optional.of(0), Optional.of(task), Optional.empty(), Optional.empty());
  }

  /** Whether {@code name} is a valid job name: a letter, then letters, digits and underscores. */
  public static boolean isJobName(String name) {
    return JOB.matcher(name).matches();
  }

  /**
   * Parses {@code text}: parts in any order, the last one of a kind winning; empty or "/" matches
   * every device.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed
   */
  public static DeviceSpec parse(String text) {
    if (text.isEmpty() || text.equals("/")) {
      return ANY;
    }
    DeviceSpec spec = ANY;
    Matcher part = PART.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!part.find(at) || part.start() != at) {
        throw StatusException.invalidArgument(
            "Malformed device specification '%s'; it should be like"
                + " /job:worker/replica:0/task:1/device:CPU:0, or parts of that",
            text);
      }
      spec = spec.with(part);
      at = part.end();
    }
    return spec;
  }

  private DeviceSpec with(Matcher part) {
    if (part.group("job") != null) {
      return new DeviceSpec(word(part.group("job")), replica, task, type, id);
    }
    if (part.group("replica") != null) {
      return new DeviceSpec(job, number(part.group("replica")), task, type, id);
    }
    if (part.group("task") != null) {
      return new DeviceSpec(job, replica, number(part.group("task")), type, id);
    }
    if (part.group("short") != null) {
      return new DeviceSpec(
          job,
          replica,
          task,
          Optional.of(part.group("short").toUpperCase(Locale.ROOT)),
          number(part.group("shortId")));
    }
    String given = part.group("id");
    return new DeviceSpec(
        job,
        replica,
        task,
        word(part.group("type")),
        given == null ? Optional.empty() : number(given));
  }

  private static Optional<String> word(String text) {
    return text.equals(ANYTHING) ? Optional.empty() : Optional.of(text);
  }

  private static Optional<Integer> number(String text) {
    return text.equals(ANYTHING) ? Optional.empty() : Optional.of(Integer.parseInt(text));
  }

  /** Whether all parts are present. */
  public boolean isFull() {
    return namesTask() && type.isPresent() && id.isPresent();
  }

  /** Whether job, replica and task are present. */
  public boolean namesTask() {
    return job.isPresent() && replica.isPresent() && task.isPresent();
  }

  /** Whether some device matches both specifications. */
  public boolean isCompatibleWith(DeviceSpec other) {
    return agree(job, other.job)
        && agree(replica, other.replica)
        && agree(task, other.task)
        && agree(type, other.type)
        && agree(id, other.id);
  }

  private static <T> boolean agree(Optional<T> a, Optional<T> b) {
    return a.isEmpty() || b.isEmpty() || a.equals(b);
  }

  /**
   * The conjunction of both specifications.
   *
   * @param isSoft whether a conflict of types or ids clears them rather than fails
   * @throws StatusException INVALID_ARGUMENT if they conflict
   */
  public DeviceSpec merge(DeviceSpec other, boolean isSoft) {
    check("jobs", agree(job, other.job), other);
    check("replicas", agree(replica, other.replica), other);
    check("tasks", agree(task, other.task), other);
    boolean differ = !agree(type, other.type) || !agree(id, other.id);
    if (differ && !isSoft) {
      check("types", agree(type, other.type), other);
      check("ids", agree(id, other.id), other);
    }
    return new DeviceSpec(
        job.or(other::job),
        replica.or(other::replica),
        task.or(other::task),
        agree(type, other.type) ? type.or(other::type) : Optional.empty(),
        differ ? Optional.empty() : id.or(other::id));
  }

  private void check(String what, boolean agree, DeviceSpec other) {
    if (!agree) {
      throw StatusException.invalidArgument(
          "Cannot merge devices with incompatible %s: '%s' and '%s'", what, this, other);
    }
  }

  /** This specification, with missing parts taken from {@code outer}. */
  public DeviceSpec over(DeviceSpec outer) {
    return new DeviceSpec(
        job.or(outer::job),
        replica.or(outer::replica),
        task.or(outer::task),
        type.or(outer::type),
        id.or(outer::id));
  }

  /** This specification without type and id. */
  public DeviceSpec taskOnly() {
    return new DeviceSpec(job, replica, task, Optional.empty(), Optional.empty());
  }

  /** The same device on another task. */
  public DeviceSpec at(DeviceSpec otherTask) {
    return new DeviceSpec(otherTask.job, otherTask.replica, otherTask.task, type, id);
  }

  /** The canonical form: the present parts, in order. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    job.ifPresent(j -> text.append("/job:").append(j));
    replica.ifPresent(r -> text.append("/replica:").append(r));
    task.ifPresent(t -> text.append("/task:").append(t));
    if (type.isPresent() || id.isPresent()) {
      text.append("/device:").append(type.orElse(ANYTHING)).append(':');
      text.append(id.map(String::valueOf).orElse(ANYTHING));
    }
    return text.toString();
  }
}
