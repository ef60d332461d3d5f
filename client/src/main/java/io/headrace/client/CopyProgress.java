package io.headrace.client;

import io.headrace.dataset.Checkpoint;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.headrace.RepetitionRecords;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A reader's progress in the copies of a dataset that make up parallel epochs. There is a copy for
 * each task, and each yields the same rows in the same order. So task and position identify a row
 * and serve as its {@link Origins origin} here: the source is the task, the record the position.
 *
 * <p>The copy of a lost task has ended, and tokens leave it out. Thread-safe.
 */
final class CopyProgress {
  private final long repetition;
  private final IterationJoin.Place place;
  private final Optional<CheckpointProto> resumed;
  private final Map<Long, LongSet> skipped = new HashMap<>();
  private final Set<Long> tasks = new TreeSet<>();
  private final RecordSet failed = new RecordSet();
  private boolean failuresKnown = true;
  private @Nullable String unnumbered;

  /**
   * The progress of a starting pass.
   *
   * @param place the place that the reader got, with the tasks at that time, ordered by id
   * @param resumed the token that the reader resumes from; ignored unless it covers this pass
   */
  CopyProgress(long repetition, IterationJoin.Place place, Optional<CheckpointProto> resumed) {
    this.repetition = repetition;
    this.place = place;
    tasks.addAll(place.copies());
    this.resumed =
        resumed.filter(token ->
            token.getRepetitionsList().stream().anyMatch(of -> of.getRepetition() == repetition));
    this.resumed.ifPresent(token -> skip(token, place.copies()));
  }

  private void skip(CheckpointProto token, List<Long> copies) {
    for (RepetitionRecords of : token.getRepetitionsList()) {
      if (of.getRepetition() == repetition) {
        RecordSet taken = RecordSet.of(of.getTaken());
        RecordSet errors = RecordSet.of(of.getFailed());
        for (long copy : taken.sources()) {
          long task = copies.get((int) copy);
          skipped.put(task, taken.records(copy, Origins.SPLITS).copy());
          addTo(failed, errors.records(copy, Origins.SPLITS), task);
        }
        failuresKnown &= of.hasFailed();
      }
    }
  }

  /**
   * The rows of a copy that were taken before.
   *
   * @param positions the positions of the rows; not to be modified
   * @param withoutError the number of rows, from position 0 on, that were taken and are known not
   *     to be errors
   */
  record Taken(LongSet positions, long withoutError) {}

  /**
   * Starts to read a task, by GetElement or by a stream; only streams carry positions.
   *
   * @return the rows to skip
   * @throws StatusException FAILED_PRECONDITION if the pass is resumed and there are no positions
   */
  synchronized Taken begin(long task, String workerAddress, boolean tellsPositions) {
    tasks.add(task);
    if (!tellsPositions) {
      unnumbered = "worker " + workerAddress + " sends no positions with its rows";
      if (resumed.isPresent()) {
        throw notResumable(unnumbered);
      }
    }
    LongSet positions = skipped.getOrDefault(task, LongSet.EMPTY);
    LongSet sound = positions.minus(failed.records(task, Origins.SPLITS));
    return new Taken(positions, failuresKnown ? sound.leading() : 0);
  }

  /** {@code chunk} of {@code task}, with origins for its rows. */
  static Chunk numbered(Chunk chunk, long task) {
    return chunk.withOrigins(
        new Origins.Builder()
            .addRecords(chunk.rows(), task, Origins.SPLITS, chunk.position())
            .build());
  }

  /** Records that the failure of a row was returned to the user. */
  synchronized void failed(long task, long position) {
    failed.add(task, Origins.SPLITS, position, 1);
  }

  /**
   * The token of the pass after {@code taken}.
   *
   * @param lost the tasks whose workers were lost
   * @throws StatusException FAILED_PRECONDITION, with the reason, if the pass can't be resumed
   */
  synchronized CheckpointProto checkpoint(RecordSet taken, Set<Long> lost) {
    if (unnumbered != null) {
      throw notResumable(unnumbered);
    }
    CheckpointProto.Builder about =
        CheckpointProto.newBuilder()
            .setGuarantee(Guarantee.AT_MOST_ONCE.toProto())
            .setSourcesFingerprint(place.sourcesFingerprint())
            .setOutline(place.outline());
    RecordSet byPlace = new RecordSet();
    RecordSet failedByPlace = new RecordSet();
    for (long task : tasks) {
      if (!lost.contains(task)) {
        int copy = about.getCopyTaskIdsCount();
        about.addCopyTaskIds(task);
        addTo(byPlace, taken.records(task, Origins.SPLITS), copy);
        addTo(byPlace, failed.records(task, Origins.SPLITS), copy);
        addTo(byPlace, skipped.getOrDefault(task, LongSet.EMPTY), copy);
        addTo(failedByPlace, failed.records(task, Origins.SPLITS), copy);
      }
    }
    if (about.getCopyTaskIdsCount() == 0) {
      throw notResumable("no worker makes a copy at this moment");
    }
    RepetitionRecords.Builder records =
        RepetitionRecords.newBuilder().setRepetition(repetition).setTaken(byPlace.toProto());
    if (failuresKnown) {
      records.setFailed(failedByPlace.toProto());
    }
    return Checkpoint.of(about, records.build()).toProto();
  }

  private static void addTo(RecordSet records, LongSet positions, long source) {
    positions.forEachRange((from, end) -> records.add(source, Origins.SPLITS, from, end - from));
  }

  private static StatusException notResumable(String why) {
    return new StatusException(
        StatusCode.FAILED_PRECONDITION, "this pass can't be resumed: " + why);
  }
}
