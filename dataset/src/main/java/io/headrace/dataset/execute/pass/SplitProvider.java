package io.headrace.dataset.execute.pass;

import io.headrace.runtime.origin.LongSet;
import org.jspecify.annotations.Nullable;

/**
 * Hands the splits of one source to a pass that reads only its part of the source. Used by one
 * thread at a time, but for {@link #received}.
 */
public interface SplitProvider {
  /**
   * The next splits, or null if this repetition of the source has no more. May block.
   *
   * @param max how many splits at most, at least 1
   * @throws io.headrace.runtime.status.StatusException if the splits can't be had
   */
  @Nullable SplitRun next(long max);

  /** Begins the next repetition of the source. */
  void reset();

  /**
   * The number of the source that splits are given of now, as {@link
   * io.headrace.runtime.origin.Origins} have it: the number of the repetition, from 0, times the
   * number of the dataset's split sources, plus the place of this one. Rows of the splits then have
   * origins. Negative where nobody keeps count: rows have none.
   */
  default long source() {
    return -1;
  }

  /**
   * Records of a split that are not to be made again; mostly none. Asked by flat maps, on any
   * thread, when they begin a split that was given: thread-safe.
   *
   * @param source what {@link #source} was when the split was given
   * @param split the number of the split
   * @return a set that nobody changes any more
   */
  default LongSet received(long source, long split) {
    return LongSet.EMPTY;
  }

  /**
   * Whether no later repetition has splits for this pass either. Asked when {@link #next} has
   * returned null: a repetition then ends, also one without end.
   */
  default boolean isExhausted() {
    return false;
  }
}
