package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.RegisteredWorker;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The soft state that decisions read: the liveness of workers and the progress of tasks. */
public interface LivenessView {
  /** Whether the worker at {@code address} has stopped answering. */
  boolean isLost(String address);

  /**
   * Whether the worker at {@code address} was registered in an earlier life of the dispatcher and
   * has not spoken to this one. It keeps its tasks, and gets no others before it speaks.
   */
  boolean isUnheard(String address);

  /** Whether the worker's registered process has left in order. */
  boolean hasLeft(RegisteredWorker worker);

  /**
   * The addresses of the workers that answer, in ascending cyclic order from the one after {@code
   * address}.
   */
  Stream<String> aliveAfter(String address);

  /** The addresses of the workers that have stopped answering. */
  Collection<String> lostWorkers();

  /** The number of elements that a task had handed out when last heard of. */
  OptionalLong position(long taskId);

  /**
   * The shards of an iteration that have been without a live worker for longer than the timeout.
   */
  List<Long> unservedShares(long iterationId);

  /** Whether the worker is known to have had a task when it was asked {@code probe}. */
  boolean wasPresent(long taskId, long probe);
}
