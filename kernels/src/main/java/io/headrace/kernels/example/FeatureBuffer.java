package io.headrace.kernels.example;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;

/**
 * The values of one variable-length feature, over all examples in order, and where each example
 * ends. Not thread-safe.
 */
final class FeatureBuffer {
  private static final int FIRST_CAPACITY = 16;

  private final DataType dtype;
  private final int[] ends;
  private Object values;
  private int size;
  private int examples;

  FeatureBuffer(DataType dtype, int examples) {
    this.dtype = dtype;
    this.ends = new int[examples];
    this.values = TensorLimit.allocate(dtype, Shape.of(0));
  }

  /** Appends {@code count} elements of the list that {@code wire} has selected. */
  void append(ExampleWire wire, int count) {
    reserve(count);
    wire.read(values, size, count);
    size += count;
  }

  /** Appends the elements of {@code tensor}. */
  void append(Tensor tensor) {
    reserve(tensor.elements());
    dtype
        .kind()
        .copy(
            TensorMemory.array(tensor),
            TensorMemory.offset(tensor),
            values,
            size,
            tensor.elements());
    size += tensor.elements();
  }

  private void reserve(int count) {
    int needed = Math.addExact(size, count);
    int capacity = dtype.kind().capacity(values);
    if (needed > capacity) {
      long grown = Math.max(needed, Math.max(FIRST_CAPACITY, capacity + (capacity >> 1)));
      Object larger = TensorLimit.allocate(dtype, Shape.of(size == 0 ? needed : grown));
      dtype.kind().copy(values, 0, larger, 0, size);
      values = larger;
    }
  }

  /** Ends the current example. */
  void endExample() {
    ends[examples++] = size;
  }

  /** The index of the first value of {@code example}. */
  int start(int example) {
    return example == 0 ? 0 : ends[example - 1];
  }

  /** The index after the last value of {@code example}. */
  int end(int example) {
    return ends[example];
  }

  int size() {
    return size;
  }

  /** The number of values of the longest example. */
  int longest() {
    int longest = 0;
    for (int i = 0; i < ends.length; i++) {
      longest = Math.max(longest, end(i) - start(i));
    }
    return longest;
  }

  /** The array of values, whose capacity may exceed {@link #size}. */
  Object values() {
    return values;
  }
}
