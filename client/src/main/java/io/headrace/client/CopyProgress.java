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
 * How far a reader has taken the copies of a dataset that parallel epochs consist of: one a task,
 * of which each gives the same rows in the same order. So a row is known by its task and its
 * position, which become its {@link Origins origin} here: the source is the task, the record the
 * position.
 *
 * <p>A copy of a task that was lost has ended, and no token has it. Thread-safe.
 */
final class CopyProgress {
  private final long repetition;
  private final long fingerprint;
  private final Optional<CheckpointProto> resumed;
  private final Map<Long, LongSet> skipped = new HashMap<>();
  private final Set<Long> tasks = new TreeSet<>();
  private final RecordSet failed = new RecordSet();
  private boolean failuresKnown = true;
  private @Nullable String unnumbered;

  /**
   * That of a pass that begins.
   *
   * @param tasks the tasks that there were when the reader joined, in the order of their ids
   * @param resumed what the reader goes on from, if this pass is what it tells of
   */
  CopyProgress(
      long repetition, long fingerprint, List<Long> tasks, Optional<CheckpointProto> resumed) {
    this.repetition = repetition;
    this.fingerprint = fingerprint;
    this.tasks.addAll(tasks);
    this.resumed =
        resumed.filter(token ->
            token.getRepetitionsList().stream().anyMatch(of -> of.getRepetition() == repetition));
    this.resumed.ifPresent(token -> skip(token, tasks));
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
   * Rows of a copy that were taken before.
   *
   * @param positions those of the rows; not to be changed
   * @param withoutError so many from position 0 on are among them, and none of those is an error
   */
  record Taken(LongSet positions, long withoutError) {}

  /**
   * A task is read, by single requests or by a stream: only streams tell positions.
   *
   * @return the rows to be passed over
   * @throws StatusException FAILED_PRECONDITION if there are some, and positions are not told
   */
  synchronized Taken begin(long task, String workerAddress, boolean tellsPositions) {
    tasks.add(task);
    if (!tellsPositions) {
      unnumbered = "worker " + workerAddress + " sends no positions with its rows";
      if (resumed.isPresent()) {
        throw cantBeResumed(unnumbered);
      }
    }
    LongSet positions = skipped.getOrDefault(task, LongSet.EMPTY);
    LongSet sound = positions.minus(failed.records(task, Origins.SPLITS));
    return new Taken(positions, failuresKnown ? sound.leading() : 0);
  }

  /** {@code chunk} of {@code task}, with its rows' origins. */
  static Chunk numbered(Chunk chunk, long task) {
    return chunk.withOrigins(
        new Origins.Builder()
            .addRecords(chunk.rows(), task, Origins.SPLITS, chunk.position())
            .build());
  }

  /** A row's failure was given to the user in its place. */
  synchronized void failed(long task, long position) {
    failed.add(task, Origins.SPLITS, position, 1);
  }

  /**
   * The token of a pass of which {@code taken} was taken.
   *
   * @param lost tasks that have ended with their workers
   * @throws StatusException FAILED_PRECONDITION, saying why, if there can be none
   */
  synchronized CheckpointProto checkpoint(RecordSet taken, Set<Long> lost) {
    if (unnumbered != null) {
      throw cantBeResumed(unnumbered);
    }
    CheckpointProto.Builder about =
        CheckpointProto.newBuilder()
            .setGuarantee(Guarantee.AT_MOST_ONCE.toProto())
            .setSourcesFingerprint(fingerprint);
    RecordSet byPlace = new RecordSet();
    RecordSet failedByPlace = new RecordSet();
    for (long task : tasks) {
      if (!lost.contains(task)) {
        int place = about.getCopyTaskIdsCount();
        about.addCopyTaskIds(task);
        addTo(byPlace, taken.records(task, Origins.SPLITS), place);
        addTo(byPlace, failed.records(task, Origins.SPLITS), place);
        addTo(byPlace, skipped.getOrDefault(task, LongSet.EMPTY), place);
        addTo(failedByPlace, failed.records(task, Origins.SPLITS), place);
      }
    }
    if (about.getCopyTaskIdsCount() == 0) {
      throw cantBeResumed("no worker makes a copy at this moment");
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

  private static StatusException cantBeResumed(String why) {
    return new StatusException(
        StatusCode.FAILED_PRECONDITION, "this pass can't be resumed: " + why);
  }
}
