package io.headrace.runtime.execute;

import org.jspecify.annotations.Nullable;

/**
 * A frame: the nodes of one while loop, or, as the root, the nodes outside of loops. {@link
 * FrameAssignment} assigns nodes to frames. Modified only while a graph is prepared.
 */
final class Frame {
  final String name;
  final @Nullable Frame parent;

  /** The number of iterations that may run concurrently. */
  int parallelIterations = 1;

  /** The number of Enter nodes into the frame. */
  int entrances;

  /** The number of nodes in the frame; each has a slot for its counts. */
  int nodes;

  /** The number of inputs of these nodes; each has a slot for its value. */
  int inputs;

  Frame(String name, @Nullable Frame parent) {
    this.name = name;
    this.parent = parent;
  }
}
