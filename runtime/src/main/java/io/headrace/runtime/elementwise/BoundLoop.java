package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Loop;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** A loop bound to its operand arrays. Used by one evaluation, by one thread. */
final class BoundLoop {
  private final Loop loop;
  private final List<Integer> sources;
  private final Object[] arrays;
  private final int[] at;

  /**
   * Binds {@code loop} to {@code columns}.
   *
   * @param sources for each operand of the loop, its index in {@code columns}
   * @param columns the arrays of the inputs, then those of the results of earlier loops
   * @param inputs the inputs, whose offsets locate single elements
   */
  BoundLoop(Loop loop, List<Integer> sources, Object[] columns, Tensor[] inputs) {
    this.loop = loop;
    this.sources = sources;
    this.arrays = new Object[sources.size()];
    this.at = new int[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      int source = sources.get(i);
      arrays[i] = columns[source];
      at[i] = source < inputs.length ? TensorMemory.offset(inputs[source]) : 0;
    }
  }

  /** Moves the operand {@code source}, a single element, to {@code index} of its array. */
  void moveTo(int source, int index) {
    for (int i = 0; i < at.length; i++) {
      if (sources.get(i) == source) {
        at[i] = index;
      }
    }
  }

  void run(Object out, int from, int to) {
    loop.run(arrays, at, out, from, to);
  }
}
