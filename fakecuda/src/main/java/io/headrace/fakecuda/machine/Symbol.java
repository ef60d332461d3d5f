package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxType;

/** A name's meaning within a function. */
sealed interface Symbol {
  /** A register by its number in the kernel. */
  record Register(int number, PtxType type) implements Symbol {}

  /** A variable of the local space, or a parameter of a function, in a thread's local memory. */
  record Local(int offset, int bytes) implements Symbol {}

  /** A variable in the shared memory of a block. */
  record Shared(int offset) implements Symbol {}

  /** The shared memory whose size the launch decides. */
  record DynamicShared() implements Symbol {}

  /** A variable of the module. */
  record Global(long address) implements Symbol {}

  /** A parameter of the kernel. */
  record KernelParameter(int offset, int bytes) implements Symbol {}
}
