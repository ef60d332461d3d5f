package io.headrace.kernels.example;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;

/** The values of one feature of examples that may hold any number of them. Not thread-safe. */
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

  /** Takes {@code count} elements of the list that {@code wire} is at. */
  void append(ExampleWire wire, int count) {
    reserve(count);
    wire.read(values, size, count);
    size += count;
  }

  /** Takes the elements of {@code tensor}. */
  void append(Tensor tensor) {
    reserve(tensor.elements());
    dtype.kind().copy(tensor.array(), tensor.offset(), values, size, tensor.elements());
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

  /** The next example ends here. */
  void endExample() {
    ends[examples++] = size;
  }

  int start(int example) {
    return example == 0 ? 0 : ends[example - 1];
  }

  int end(int example) {
    return ends[example];
  }

  int size() {
    return size;
  }

  /** The most elements that an example has. */
  int longest() {
    int longest = 0;
    for (int i = 0; i < ends.length; i++) {
      longest = Math.max(longest, end(i) - start(i));
    }
    return longest;
  }

  /** The values so far: an array that may be longer than they are many. */
  Object values() {
    return values;
  }
}
