package io.headrace.runtime.op;

/** Tells whether nodes of an op may be placed on a GPU though they run on the host, and why. */
public enum HostRole {
  /** They may not. */
  NONE,

  /** They pass their inputs on, which stay where they are. */
  PASSES,

  /** They make or keep tensors, read shapes, or call functions. */
  WORKS
}
