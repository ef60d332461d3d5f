package io.headrace.dataset;

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

/**
 * How far a distributed dataset was taken: which records went into the elements that a reader's
 * iterator has returned. Another reader goes on after it, in another process, with any number of
 * workers, and gets exactly the rest. In parallel epochs it tells of the rows of each worker's
 * copy, and wants as many workers again. A few kilobytes; to be kept with the trainer's own
 * checkpoint. Immutable.
 */
public final class Checkpoint {
  /** Tokens of format 1 did not tell of which dataset they were. */
  private static final int FORMAT = 2;

  private final CheckpointProto proto;

  private Checkpoint(CheckpointProto proto) {
    this.proto = proto;
  }

  /**
   * The checkpoint that {@code proto} describes.
   *
   * @throws StatusException INVALID_ARGUMENT for another format, or what is no set of records
   */
  public static Checkpoint of(CheckpointProto proto) {
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

  /** The checkpoint of one pass, of which {@code records} tells. */
  public static Checkpoint of(CheckpointProto.Builder about, RepetitionRecords records) {
    return of(about.addRepetitions(records));
  }

  /** The checkpoint that {@code about} describes, but for its format, which is this version's. */
  public static Checkpoint of(CheckpointProto.Builder about) {
    return of(about.setFormat(FORMAT).build());
  }

  /**
   * The checkpoint whose {@link #toBytes} are {@code bytes}.
   *
   * @throws StatusException INVALID_ARGUMENT if they are none
   */
  public static Checkpoint ofBytes(byte[] bytes) {
    try {
      return of(CheckpointProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, bytes.length + " bytes that are no checkpoint", e);
    }
  }

  /**
   * The checkpoint whose {@link #toJson} is {@code json}.
   *
   * @throws StatusException INVALID_ARGUMENT if it is none
   */
  public static Checkpoint ofJson(String json) {
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
   * What this reader and {@code other}, of the same job, have taken together: to go on with a job
   * that several readers shared.
   *
   * @throws StatusException INVALID_ARGUMENT if they are of different sources, or, in parallel
   *     epochs, if a worker was lost or came between them
   */
  public Checkpoint merge(Checkpoint other) {
    long fingerprint = proto.getSourcesFingerprint();
    long otherFingerprint = other.proto.getSourcesFingerprint();
    // Whoever came when a pass was at its end was told of no sources.
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
        proto.toBuilder()
            .setSourcesFingerprint(fingerprint == 0 ? otherFingerprint : fingerprint)
            .clearRepetitions()
            .addAllRepetitions(passes.values())
            .clearReaders()
            .addAllReaders(union(proto.getReadersList(), other.proto.getReadersList()))
            .clearAncestors()
            .addAllAncestors(union(proto.getAncestorsList(), other.proto.getAncestorsList()))
            .setTogether(Math.max(proto.getTogether(), other.proto.getTogether()))
            .build());
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

  /** As bytes. */
  public byte[] toBytes() {
    return proto.toByteArray();
  }

  /** As text for people. */
  public String toJson() {
    try {
      return JsonFormat.printer().print(proto);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a checkpoint has no text", e);
    }
  }

  /** As a message. */
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
