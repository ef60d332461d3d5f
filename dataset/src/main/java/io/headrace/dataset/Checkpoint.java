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
import java.util.zip.CRC32C;

/**
 * The progress of a reader through a distributed dataset: the set of records that went into the
 * elements its iterator has returned. Another reader resumes after it, in another process and with
 * any number of workers, and gets exactly the rest. With parallel epochs, it holds the rows taken
 * of each worker's copy and needs the same number of workers. A few kilobytes; store it with the
 * trainer's own checkpoint. It has a check sum, so that a damaged one is refused instead of reading
 * too much or too little. Immutable.
 */
public final class Checkpoint {
  /** Format 1 did not identify the dataset, and format 2 had no check sum. */
  private static final int FORMAT = 3;

  private static final int FORMAT_WITHOUT_SUM = 2;

  /** The field of the format, with which the bytes of a checkpoint begin. */
  private static final int FORMAT_TAG = CheckpointProto.FORMAT_FIELD_NUMBER << 3;

  private final CheckpointProto proto;

  private Checkpoint(CheckpointProto proto) {
    this.proto = proto;
  }

  /**
   * A checkpoint of {@code proto}.
   *
   * @throws StatusException INVALID_ARGUMENT for another format, or malformed record sets;
   *     DATA_LOSS for one that has changed since it was made
   */
  public static Checkpoint of(CheckpointProto proto) {
    requireNonNull(proto, "proto is null");
    requireUndamaged(proto);
    if (proto.getFormat() == 0) {
      throw StatusException.invalidArgument(
          "no checkpoint: it does not tell its format, as what Checkpoint.toBytes() or toJson()"
              + " made does");
    }
    if (proto.getFormat() != FORMAT && proto.getFormat() != FORMAT_WITHOUT_SUM) {
      throw StatusException.invalidArgument(
          "a checkpoint of format %d, %s; this version reads formats %d and %d: begin without it",
          proto.getFormat(),
          proto.getFormat() == 1
              ? "of an earlier version, that does not tell of which dataset it is"
              : "which no earlier version made",
          FORMAT_WITHOUT_SUM,
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
    requireNonNull(about, "about is null");
    requireNonNull(records, "records is null");
    return of(about.addRepetitions(records));
  }

  /** The checkpoint of {@code about}, with its format set to this version's. */
  public static Checkpoint of(CheckpointProto.Builder about) {
    requireNonNull(about, "about is null");
    CheckpointProto.Builder made = about.setFormat(FORMAT).clearCrc32C();
    return of(made.setCrc32C(sum(made.build())).build());
  }

  /** The CRC-32C of a checkpoint, but for its own field. */
  private static int sum(CheckpointProto proto) {
    CRC32C crc = new CRC32C();
    crc.update(proto.toBuilder().clearCrc32C().build().toByteArray());
    return (int) crc.getValue();
  }

  private static void requireUndamaged(CheckpointProto proto) {
    if (proto.hasCrc32C() && proto.getCrc32C() != sum(proto)) {
      throw damaged("its check sum is not that of its content");
    }
    if (proto.getFormat() == FORMAT && !proto.hasCrc32C()) {
      throw damaged("it is truncated: it ends before its check sum");
    }
  }

  private static StatusException damaged(String how) {
    return new StatusException(
        StatusCode.DATA_LOSS,
        "a checkpoint that has changed since it was made, so what it has is unknown: %s. Take another"
                .formatted(how)
            + " copy of it, or an earlier checkpoint");
  }

  /**
   * Parses the output of {@link #toBytes}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code bytes} are not a checkpoint; DATA_LOSS if
   *     they are one that was truncated or has changed
   */
  public static Checkpoint ofBytes(byte[] bytes) {
    requireNonNull(bytes, "bytes is null");
    if (bytes.length == 0) {
      throw StatusException.invalidArgument(
          "no checkpoint, but 0 bytes: its file is empty, and was not written to its end");
    }
    try {
      return of(CheckpointProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      if (beginsLikeOne(bytes)) {
        throw damaged(
            "its %d bytes are truncated, or others (%s)".formatted(bytes.length, e.getMessage()));
      }
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, bytes.length + " bytes that are no checkpoint", e);
    }
  }

  private static boolean beginsLikeOne(byte[] bytes) {
    return bytes[0] == FORMAT_TAG
        && (bytes.length == 1 || bytes[1] == FORMAT || bytes[1] == FORMAT_WITHOUT_SUM);
  }

  /**
   * Parses the output of {@link #toJson}.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code json} is not a checkpoint; DATA_LOSS if it
   *     is one that has changed
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
    requireNonNull(other, "other is null");
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
            .setTogether(Math.max(proto.getTogether(), other.proto.getTogether())));
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
