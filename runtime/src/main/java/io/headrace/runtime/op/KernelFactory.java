package io.headrace.runtime.op;

/** Creates the kernel of a node; throws INVALID_ARGUMENT if its attrs are invalid. */
@FunctionalInterface
public interface KernelFactory {
  /** A kernel for {@code node}. */
  Kernel create(NodeSpec node);
}
