package io.headrace.runtime.execute;

import org.jspecify.annotations.Nullable;

/**
 * The part of a graph that runs in one loop, or, as the root, in none: where {@link FrameFinder}
 * put its nodes. Written to only while a graph is prepared.
 */
final class Frame {
  final String name;
  final @Nullable Frame parent;

  /** How many iterations may run at a time. */
  int parallelIterations = 1;

  /** How many Enter nodes lead into it. */
  int entrances;

  /** Nodes in it: each has a slot for its counts. */
  int nodes;

  /** Inputs of its nodes: each has a slot for its value. */
  int inputs;

  Frame(String name, @Nullable Frame parent) {
    this.name = name;
    this.parent = parent;
  }
}
