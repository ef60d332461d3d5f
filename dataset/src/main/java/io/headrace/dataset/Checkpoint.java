package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.RepetitionRecords;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The progress of a reader through a distributed dataset: the set of records that went into the
 * elements its iterator has returned. Another reader resumes after it, in another process and with
 * any number of workers, and gets exactly the rest. With parallel epochs, it holds the rows taken
 * of each worker's copy and needs the same number of workers. A few kilobytes; store it with the
 * trainer's own checkpoint. Immutable.
 */
public final class Checkpoint {
  /** Format 1 did not identify the dataset. */
  private static final int FORMAT = 2;

  private final CheckpointProto proto;

  private Checkpoint(CheckpointProto proto) {
    this.proto = proto;
  }

  /**
   * A checkpoint of {@code proto}.
   *
   * @throws StatusException INVALID_ARGUMENT for another format, or malformed record sets
   */
  public static Checkpoint of(CheckpointProto proto) {
    if (proto.getFormat() == 0) {
      throw StatusException.invalidArgument(
          "no checkpoint: it does not tell its format, as what Checkpoint.toBytes() or toJson()"
              + " made does");
    }
    if (proto.getFormat() != FORMAT) {
      throw StatusException.invalidArgument(
          "a checkpoint of format %d, %s; this version reads format %d: begin without it",
          proto.getFormat(),
          proto.getFormat() == 1
              ? "of an earlier version, that does not tell of which dataset it is"
              : "which no earlier version made",
          FORMAT);
    }
    if (proto.getRepetitionsCount() == 0) {
      throw StatusException.invalidArgument("a checkpoint of no pass");
    }
    for (RepetitionRecords repetition : proto.getRepetitionsList()) {
      if (repetition.getRepetition() < 1) {
        throw StatusException.invalidArgument(
            "a checkpoint of the repetition %d", repetition.getRepetition());
      }
      var _ = RecordSet.of(repetition.getTaken());
      var _ = RecordSet.of(repetition.getFailed());
    }
    return new Checkpoint(proto);
  }

  /** The checkpoint of one pass, whose records are {@code records}. */
  public static Checkpoint of(CheckpointProto.Builder about, RepetitionRecords records) {
    requireNonNull(records, "records is null");
    return of(about.addRepetitions(records));
  }

  /** The checkpoint of {@code about}, with its format set to this version's. */
  public static Checkpoint of(CheckpointProto.Builder about) {
    return of(about.setFormat(FORMAT).build());
  }

  /**
   * Parses the output of {@link #toBytes}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code bytes} are not a checkpoint
   */
  public static Checkpoint ofBytes(byte[] bytes) {
    if (bytes.length == 0) {
      throw StatusException.invalidArgument(
          "no checkpoint, but 0 bytes: its file is empty, and was not written to its end");
    }
    try {
      return of(CheckpointProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, bytes.length + " bytes that are no checkpoint", e);
    }
  }

  /**
   * Parses the output of {@link #toJson}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code json} is not a checkpoint
   */
  public static Checkpoint ofJson(String json) {
    requireNonNull(json, "json is null");
    CheckpointProto.Builder proto = CheckpointProto.newBuilder();
    try {
      JsonFormat.parser().merge(json, proto);
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "text that is no checkpoint: " + e.getMessage(), e);
    }
    return of(proto.build());
  }

  /**
   * The union of this checkpoint and {@code other}, of the same job: resumes a job that several
   * readers shared.
   *
   * @throws StatusException INVALID_ARGUMENT if the two are of different jobs or sources, or, with
   *     parallel epochs, of different sets of workers
   */
  public Checkpoint merge(Checkpoint other) {
    requireSameJob(other.proto);
    long fingerprint = proto.getSourcesFingerprint();
    long otherFingerprint = other.proto.getSourcesFingerprint();
    // A reader that joined at the end of a pass was given no sources; its fingerprint is 0.
    if (fingerprint != otherFingerprint && fingerprint != 0 && otherFingerprint != 0) {
      throw StatusException.invalidArgument("the checkpoints are of different datasets");
    }
    if (!proto.getCopyTaskIdsList().equals(other.proto.getCopyTaskIdsList())) {
      throw StatusException.invalidArgument(
          "the checkpoints are of different copies: of the tasks %s, and of %s",
          proto.getCopyTaskIdsList(), other.proto.getCopyTaskIdsList());
    }
    Map<Long, RepetitionRecords> passes = new TreeMap<>();
    for (CheckpointProto of : new CheckpointProto[] {proto, other.proto}) {
      for (RepetitionRecords pass : of.getRepetitionsList()) {
        passes.merge(pass.getRepetition(), pass, Checkpoint::together);
      }
    }
    return of(
        named(proto.toBuilder(), other.proto)
            .setSourcesFingerprint(fingerprint == 0 ? otherFingerprint : fingerprint)
            .setOutline(fingerprint == 0 ? other.proto.getOutline() : proto.getOutline())
            .clearRepetitions()
            .addAllRepetitions(passes.values())
            .clearReaders()
            .addAllReaders(union(proto.getReadersList(), other.proto.getReadersList()))
            .clearAncestors()
            .addAllAncestors(union(proto.getAncestorsList(), other.proto.getAncestorsList()))
            .setTogether(Math.max(proto.getTogether(), other.proto.getTogether()))
            .build());
  }

  /** A job without a name has one reader. Checkpoints of earlier versions do not tell the job. */
  private void requireSameJob(CheckpointProto other) {
    boolean isKnown = proto.hasJob() && other.hasJob();
    boolean isShared = !proto.getJob().isEmpty() && !other.getJob().isEmpty();
    boolean isSame =
        isShared
            ? proto.getJob().equals(other.getJob())
            : proto.getJob().equals(other.getJob())
                && proto.getReadersList().equals(other.getReadersList());
    if (isKnown && !isSame) {
      throw StatusException.invalidArgument(
          "the checkpoints are of two reads, %s and %s: those of the readers of one job, by its"
              + " name, can be merged",
          told(proto), told(other));
    }
  }

  private static String told(CheckpointProto of) {
    return of.getJob().isEmpty()
        ? "one without a job name (reader %s)"
            .formatted(
                of.getReadersList().stream()
                    .map(Long::toHexString)
                    .collect(Collectors.joining(", ")))
        : "one of job " + of.getJob();
  }

  private static CheckpointProto.Builder named(
      CheckpointProto.Builder merged, CheckpointProto other) {
    return !merged.hasJob() && other.hasJob() ? merged.setJob(other.getJob()) : merged;
  }

  private static RepetitionRecords together(RepetitionRecords one, RepetitionRecords other) {
    RepetitionRecords.Builder both =
        one.toBuilder()
            .setTaken(together(one.getTaken(), other.getTaken()))
            .clearFailed()
            .clearReaders()
            .addAllReaders(union(one.getReadersList(), other.getReadersList()));
    if (one.hasFailed() && other.hasFailed()) {
      both.setFailed(together(one.getFailed(), other.getFailed()));
    }
    return both.build();
  }

  private static Set<Long> union(List<Long> one, List<Long> other) {
    Set<Long> both = new TreeSet<>(one);
    both.addAll(other);
    return both;
  }

  private static RecordSetProto together(RecordSetProto one, RecordSetProto other) {
    RecordSet both = RecordSet.of(one);
    both.addAll(RecordSet.of(other));
    return both.toProto();
  }

  /** The serialized checkpoint. */
  public byte[] toBytes() {
    return proto.toByteArray();
  }

  /** The checkpoint as JSON. */
  public String toJson() {
    try {
      return JsonFormat.printer().print(proto);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a checkpoint has no text", e);
    }
  }

  /** The checkpoint as a proto. */
  public CheckpointProto toProto() {
    return proto;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Checkpoint checkpoint && proto.equals(checkpoint.proto);
  }

  @Override
  public int hashCode() {
    return proto.hashCode();
  }

  @Override
  public String toString() {
    return toJson();
  }
}
