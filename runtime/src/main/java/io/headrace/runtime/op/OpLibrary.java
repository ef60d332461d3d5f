package io.headrace.runtime.op;

import java.util.List;

/**
 * A set of op declarations, discovered by {@link java.util.ServiceLoader}: the runtime's kernels,
 * the dataset ops, and ops that users add.
 */
public interface OpLibrary {
  /** The declarations. */
  List<Op> ops();
}
