package io.headrace.runtime.op;

import java.util.List;

/**
 * A set of op declarations, found by {@link java.util.ServiceLoader}: the runtime's own kernels,
 * the datasets, and whatever a user adds.
 */
public interface OpLibrary {
  /** The declarations. */
  List<Op> ops();
}
