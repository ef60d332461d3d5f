package io.headrace.dataset.execute.pass;

import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * The indices of rows of a dataset, in the order in which they are read: a sequence that can be
 * walked any number of times.
 */
@FunctionalInterface
public interface RowIndices {
  /** No rows. */
  RowIndices NONE = LongStream::empty;

  /** The indices from the beginning. Sequential; the caller consumes it lazily. */
  LongStream stream();

  /** Each index, mapped by {@code function}. */
  default RowIndices map(LongUnaryOperator function) {
    return () -> stream().map(function);
  }

  /** The indices for which {@code predicate} holds. */
  default RowIndices filter(LongPredicate predicate) {
    return () -> stream().filter(predicate);
  }

  /** The indices that {@code function} makes of each index, one after the other. */
  default RowIndices flatMap(LongFunction<LongStream> function) {
    return () -> stream().flatMap(function);
  }
}
