package io.headrace.kernels.table;

import io.headrace.kernels.kit.KeyIndex;
import io.headrace.kernels.kit.TensorEquality;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * Keys and a value for each, a tensor of a fixed dtype and shape. Concurrent lookups are safe as
 * long as no thread modifies it. The values together are bounded like one tensor.
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
   * Looks up the {@code count} keys from position {@code at}, and copies their values into {@code
   * out} from value {@code to} on.
   *
   * @param defaults the values of missing keys
   * @param defaultPerKey whether {@code defaults} has a value per key; otherwise one value for all
   */
  void find(
      Object keys, int at, int count, Tensor defaults, boolean defaultPerKey, Object out, int to) {
    ElementKind kind = valueType.kind();
    for (int i = 0; i < count; i++) {
      int number = index.find(keys, at + i);
      if (number >= 0) {
        kind.copy(values, number * width, out, (to + i) * width, width);
      } else {
        int from = TensorMemory.offset(defaults) + (defaultPerKey ? i * width : 0);
        kind.copy(TensorMemory.array(defaults), from, out, (to + i) * width, width);
      }
    }
  }

  /** Whether the stored value {@code number} equals value {@code i} of {@code given}. */
  boolean hasValue(int number, Tensor given, int i) {
    return TensorEquality.equal(
        Tensor.view(valueType, valueShape, values, number * width), value(given, i));
  }

  private Tensor value(Tensor given, int i) {
    return Tensor.view(
        valueType, valueShape, TensorMemory.array(given), TensorMemory.offset(given) + i * width);
  }

  /** The value number of key {@code i} of {@code keys}, or -1 if it is missing. */
  int numberOf(Tensor keys, int i) {
    return index.find(TensorMemory.array(keys), TensorMemory.offset(keys) + i);
  }

  /** Maps key {@code i} of {@code keys} to value {@code i} of {@code given}. */
  void put(Tensor keys, Tensor given, int i) {
    int number = index.put(TensorMemory.array(keys), TensorMemory.offset(keys) + i);
    if (number == capacity) {
      Object larger = TensorLimit.allocate(valueType, valueShape.prepend(2L * capacity));
      valueType.kind().copy(values, 0, larger, 0, capacity * width);
      values = larger;
      capacity *= 2;
    }
    valueType
        .kind()
        .copy(
            TensorMemory.array(given),
            TensorMemory.offset(given) + i * width,
            values,
            number * width,
            width);
  }

  /** Removes key {@code i} of {@code keys} if it is present. */
  void remove(Tensor keys, int i) {
    int number = index.remove(TensorMemory.array(keys), TensorMemory.offset(keys) + i);
    if (number >= 0 && number < index.size()) {
      valueType.kind().copy(values, index.size() * width, values, number * width, width);
    }
  }

  /** All keys, as a vector, and their values. */
  List<Tensor> export() {
    Object keys = TensorLimit.allocate(keyType, Shape.of(size()));
    index.copyTo(keys);
    Shape shape = valueShape.prepend(size());
    Object copy = TensorLimit.allocate(valueType, shape);
    valueType.kind().copy(values, 0, copy, 0, size() * width);
    return List.of(
        Tensor.wrap(keyType, Shape.of(size()), keys), Tensor.wrap(valueType, shape, copy));
  }
}
