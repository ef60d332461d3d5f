package io.headrace.client;

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
 * What a reader goes on from, and with whom.
 *
 * @param checkpoint what was taken before: by this reader, or, merged, by all that go on together
 * @param reader which of those it is, from 0
 * @param readers how many go on together in one job, each from its own checkpoint or all from a
 *     merged one
 */
public record Resumption(Checkpoint checkpoint, int reader, int readers) {
  /** Checks the numbers. */
  public Resumption {
    if (readers < 1 || reader < 0 || reader >= readers) {
      throw StatusException.invalidArgument(
          "a reader that goes on together with others is number 0 to n - 1 of n, got %d of %d",
          reader, readers);
    }
  }

  /**
   * The number by which the reader is known: the one that the checkpoint is of, if it is of one and
   * goes on alone; otherwise one that follows from the checkpoint and the place among the others,
   * so that it is the same if the reader must go on from there again.
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
   * Whom the reader follows in a pass: those that were in it, or before it, when they asked for
   * their tokens. In what is later for all of them, those that they had followed count, too.
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

  /** How many follow those in a pass. */
  long together(long repetition) {
    return followsAsBefore(repetition) ? checkpoint.toProto().getTogether() : readers;
  }

  /** Whether the others must come first, for their own tokens tell what they have. */
  boolean waitsForAll(long repetition) {
    return repetition == first() && readers > 1;
  }

  /** The reader comes to a pass as it would have come if it had not been interrupted. */
  private boolean followsAsBefore(long repetition) {
    return isSame() && repetition > first() && checkpoint.toProto().getAncestorsCount() > 0;
  }

  private long first() {
    return checkpoint.toProto().getRepetitions(0).getRepetition();
  }

  /** Adds to a token of this reader whom it follows, and what it knows of later passes. */
  void addTo(CheckpointProto.Builder token, long repetition) {
    CheckpointProto before = checkpoint.toProto();
    Set<Long> ancestors = new TreeSet<>(before.getAncestorsList());
    if (!isSame()) {
      ancestors.addAll(before.getReadersList());
    }
    token
        .addAllAncestors(ancestors)
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
