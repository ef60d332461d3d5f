package io.headrace.dispatcher;

import java.util.OptionalLong;

/** What decisions ask of the soft state: who answers, and how far tasks were when last heard of. */
interface Liveness {
  /** Whether the worker at {@code address} does not answer any more. */
  boolean isLost(String address);

  /** The number of elements that a task had handed out when last heard of. */
  OptionalLong position(long taskId);
}
