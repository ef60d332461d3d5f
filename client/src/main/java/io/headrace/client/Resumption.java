package io.headrace.client;

import static java.util.Objects.requireNonNull;

import io.headrace.dataset.Checkpoint;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.RepetitionRecords;
import io.headrace.runtime.status.StatusException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How a reader resumes: from a checkpoint, alone or together with other readers.
 *
 * @param checkpoint the records taken before: by this reader, or, merged, by all readers that
 *     resume together
 * @param reader the number of this reader among those, from 0
 * @param readers the number of readers that resume together in one job, each from its own
 *     checkpoint or all from a merged one
 */
public record Resumption(Checkpoint checkpoint, int reader, int readers) {
  /** Validates the numbers. */
  public Resumption {
    requireNonNull(checkpoint, "checkpoint is null");
    if (readers < 1 || reader < 0 || reader >= readers) {
      throw StatusException.invalidArgument(
          "a reader that resumes with others is number 0 to n - 1 of n, got %d of %d",
          reader, readers);
    }
  }

  /**
   * The reader's id: that of the checkpoint's reader, if the checkpoint has one reader and this one
   * resumes alone; otherwise a hash of the checkpoint's readers and this reader's number, so that a
   * second resumption from the same checkpoint has the same id.
   */
  long readerId() {
    List<Long> before = checkpoint.toProto().getReadersList();
    if (isSame()) {
      return before.getFirst();
    }
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * before.size() + 2 * Integer.BYTES);
    before.stream().sorted().forEach(bytes::putLong);
    long hash =
        ByteBuffer.wrap(sha256().digest(bytes.putInt(reader).putInt(readers).array())).getLong();
    return hash == 0 ? 1 : hash;
  }

  private boolean isSame() {
    return readers == 1 && checkpoint.toProto().getReadersCount() == 1;
  }

  /**
   * The predecessors of the reader in a pass: the readers that were in it, or before it, when they
   * took their checkpoints. In later passes also the predecessors of those readers.
   */
  Set<Long> predecessors(long repetition) {
    Set<Long> predecessors = new TreeSet<>();
    if (repetition > first()) {
      predecessors.addAll(checkpoint.toProto().getAncestorsList());
    }
    if (!followsAsBefore(repetition)) {
      checkpoint.toProto().getRepetitionsList().stream()
          .filter(pass -> pass.getRepetition() <= repetition)
          .forEach(pass -> predecessors.addAll(readersOf(pass)));
    }
    return predecessors;
  }

  private List<Long> readersOf(RepetitionRecords pass) {
    return pass.getReadersCount() == 0
        ? checkpoint.toProto().getReadersList()
        : pass.getReadersList();
  }

  /**
   * The number of readers that succeed the predecessors in a pass; for a reader that resumes alone,
   * the size of the group in which it succeeded its ancestors.
   */
  long together() {
    return isSame() ? Math.max(readers, checkpoint.toProto().getTogether()) : readers;
  }

  /**
   * Whether elements must wait until all readers have joined, since their checkpoints name the
   * records they have.
   */
  boolean waitsForAll(long repetition) {
    return repetition == first() && readers > 1;
  }

  /** Whether the reader joins a pass as it would have joined it without the interruption. */
  private boolean followsAsBefore(long repetition) {
    return isSame() && repetition > first() && checkpoint.toProto().getAncestorsCount() > 0;
  }

  private long first() {
    return checkpoint.toProto().getRepetitions(0).getRepetition();
  }

  /** The readers that this one followed, in whatever pass they were. */
  Set<Long> ancestors() {
    Set<Long> ancestors = new TreeSet<>(checkpoint.toProto().getAncestorsList());
    if (!isSame()) {
      ancestors.addAll(checkpoint.toProto().getReadersList());
    }
    return ancestors;
  }

  /** Adds this reader's ancestors, and its records of later passes, to a token. */
  void addTo(CheckpointProto.Builder token, long repetition) {
    CheckpointProto before = checkpoint.toProto();
    token
        .addAllAncestors(ancestors())
        .setTogether(isSame() ? before.getTogether() : readers)
        .addAllRepetitions(
            before.getRepetitionsList().stream()
                .filter(pass -> pass.getRepetition() > repetition)
                .toList());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
