package io.headrace.runtime.op;

/** Makes the kernel of a node; throws INVALID_ARGUMENT if the node's attrs do not fit. */
@FunctionalInterface
public interface KernelFactory {
  /** A kernel for {@code node}. */
  Kernel create(NodeSpec node);
}
