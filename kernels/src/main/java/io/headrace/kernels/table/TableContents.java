package io.headrace.kernels.table;

import io.headrace.kernels.kit.KeyIndex;
import io.headrace.kernels.kit.TensorElements;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/**
 * Keys, and a value for each: a tensor of one dtype and shape. Any number of threads may find while
 * none changes it. It is bounded as one tensor of all values is.
 */
final class TableContents {
  private static final int FIRST_CAPACITY = 8;

  private final DataType keyType;
  private final DataType valueType;
  private final Shape valueShape;
  private final int width;
  private final KeyIndex index;
  private int capacity = FIRST_CAPACITY;
  private Object values;

  TableContents(DataType keyType, DataType valueType, Shape valueShape) {
    this.keyType = keyType;
    this.valueType = valueType;
    this.valueShape = valueShape;
    this.width = valueShape.elements();
    this.index = KeyIndex.of(keyType);
    this.values = TensorLimit.allocate(valueType, valueShape.prepend(capacity));
  }

  int size() {
    return index.size();
  }

  /**
   * Copies the values of the {@code count} keys from {@code at} on into {@code out} from its value
   * {@code to} on.
   *
   * @param defaults the values of keys that are not there
   * @param each whether each key has a default of its own, or the first is that of all
   */
  void find(Object keys, int at, int count, Tensor defaults, boolean each, Object out, int to) {
    ElementKind kind = valueType.kind();
    for (int i = 0; i < count; i++) {
      int number = index.find(keys, at + i);
      if (number >= 0) {
        kind.copy(values, number * width, out, (to + i) * width, width);
      } else {
        int from = defaults.offset() + (each ? i * width : 0);
        kind.copy(defaults.array(), from, out, (to + i) * width, width);
      }
    }
  }

  /** Whether value {@code i} of {@code given} is the one of the key that has {@code number}. */
  boolean hasValue(int number, Tensor given, int i) {
    return TensorElements.equal(
        Tensor.view(valueType, valueShape, values, number * width), value(given, i));
  }

  private Tensor value(Tensor given, int i) {
    return Tensor.view(valueType, valueShape, given.array(), given.offset() + i * width);
  }

  /** The number of key {@code i} of {@code keys}, or -1. */
  int numberOf(Tensor keys, int i) {
    return index.find(keys.array(), keys.offset() + i);
  }

  /** Gives key {@code i} of {@code keys} the value {@code i} of {@code given}. */
  void put(Tensor keys, Tensor given, int i) {
    int number = index.put(keys.array(), keys.offset() + i);
    if (number == capacity) {
      Object larger = TensorLimit.allocate(valueType, valueShape.prepend(2L * capacity));
      valueType.kind().copy(values, 0, larger, 0, capacity * width);
      values = larger;
      capacity *= 2;
    }
    valueType.kind().copy(given.array(), given.offset() + i * width, values, number * width, width);
  }

  /** Takes key {@code i} of {@code keys} out, if it is there. */
  void remove(Tensor keys, int i) {
    int number = index.remove(keys.array(), keys.offset() + i);
    if (number >= 0 && number < index.size()) {
      valueType.kind().copy(values, index.size() * width, values, number * width, width);
    }
  }

  /** All keys, a vector, and their values. */
  List<Tensor> export() {
    Object keys = TensorLimit.allocate(keyType, Shape.of(size()));
    index.copyTo(keys);
    Shape shape = valueShape.prepend(size());
    Object copy = TensorLimit.allocate(valueType, shape);
    valueType.kind().copy(values, 0, copy, 0, size() * width);
    return List.of(Tensor.of(keyType, Shape.of(size()), keys), Tensor.of(valueType, shape, copy));
  }
}
