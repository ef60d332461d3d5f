package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Loop;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** A loop with the arrays that it reads. Belongs to one run. */
final class BoundLoop {
  private final Loop loop;
  private final List<Integer> sources;
  private final Object[] arrays;
  private final int[] at;

  /**
   * The loop over {@code columns}.
   *
   * @param sources for each operand of the loop, which of {@code columns} it is
   * @param columns arrays: of the inputs, then of what earlier loops make
   * @param inputs the inputs, for where single elements lie
   */
  BoundLoop(Loop loop, List<Integer> sources, Object[] columns, Tensor[] inputs) {
    this.loop = loop;
    this.sources = sources;
    this.arrays = new Object[sources.size()];
    this.at = new int[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      int source = sources.get(i);
      arrays[i] = columns[source];
      at[i] = source < inputs.length ? inputs[source].offset() : 0;
    }
  }

  /** Lets the single element that stands for {@code source} be that at {@code index}. */
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
