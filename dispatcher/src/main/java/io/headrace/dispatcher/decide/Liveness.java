package io.headrace.dispatcher.decide;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What decisions ask of the soft state: who answers, and what workers said of their tasks. */
public interface Liveness {
  /** Whether the worker at {@code address} does not answer any more. */
  boolean isLost(String address);

  /**
   * Addresses of the workers that answer, in their order, from behind {@code address} on and around
   * to it.
   */
  Stream<String> aliveAfter(String address);

  /** Addresses of the workers that do not answer. */
  Collection<String> lostWorkers();

  /** The number of elements that a task had handed out when last heard of. */
  OptionalLong position(long taskId);

  /** The shares of an iteration that no worker has produced for longer than they are waited for. */
  List<Long> unservedShares(long iterationId);

  /** Whether a task's worker had it when it was asked {@code question}, as far as is known. */
  boolean wasThere(long taskId, long question);
}
