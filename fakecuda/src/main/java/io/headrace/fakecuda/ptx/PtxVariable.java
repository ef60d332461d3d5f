package io.headrace.fakecuda.ptx;

import java.util.List;

/**
 * A variable in memory, or a parameter.
 *
 * @param space the state space without its dot: global, const, shared, local or param
 * @param align the alignment in bytes
 * @param count the number of elements; 0 for an array whose size the launch decides
 * @param initial the first elements' bits; the rest is 0 where there is one, and else undefined
 */
public record PtxVariable(
    String space, int align, PtxType type, String name, int count, List<Long> initial) {
  /** Copies the list. */
  public PtxVariable {
    initial = List.copyOf(initial);
  }

  /** The size in bytes. */
  public int bytes() {
    return type.bytes() * count;
  }
}
