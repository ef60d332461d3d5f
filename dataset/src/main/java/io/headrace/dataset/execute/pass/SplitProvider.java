package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.LongSet;
import org.jspecify.annotations.Nullable;

/**
 * Provides the splits of one source to a pass that reads only its part of the source. Used by one
 * thread at a time, except {@link #received}.
 */
public interface SplitProvider {
  /**
   * The next splits, or null if this repetition of the source has no more. May block.
   *
   * @param max the most splits to return, at least 1
   * @throws io.headrace.runtime.status.StatusException if the splits can't be fetched
   */
  @Nullable SplitRun next(long max);

  /** Starts the next repetition of the source. */
  void reset();

  /**
   * The number of the source whose splits are provided now, as in {@link
   * io.headrace.runtime.origin.Origins}: the repetition, from 0, times the number of the dataset's
   * split sources, plus the index of this one. Rows of the splits then have origins. Negative where
   * splits are not tracked; rows then have no origins.
   */
  default long source() {
    return -1;
  }

  /**
   * The records of a split that must not be made again; mostly none. Flat maps call this from any
   * thread when they start a split: thread-safe.
   *
   * @param source the {@link #source} at the time the split was provided
   * @param split the number of the split
   * @return an immutable set
   */
  default LongSet received(long source, long split) {
    return LongSet.EMPTY;
  }

  /**
   * Whether no later repetition has splits for this pass. Called after {@link #next} has returned
   * null; if true, even an infinite repeat ends.
   */
  default boolean isExhausted() {
    return false;
  }
}
