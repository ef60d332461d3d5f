package io.headrace.runtime.tensor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Storage.HostArray;
import java.util.Objects;

/**
 * An array of elements of one dtype and a known shape, in row-major order.
 *
 * <p>Immutable, so safe to share between threads: the creator of a tensor transfers ownership of
 * its array and must not write to it afterwards. Views ({@link #row}, {@link #rows}, {@link
 * #reshape}) share the array.
 */
public final class Tensor {
  private final DataType dtype;
  private final Shape shape;
  private final int elements;
  private final Storage storage;

  private Tensor(DataType dtype, Shape shape, int elements, Storage storage) {
    this.dtype = dtype;
    this.shape = shape;
    this.elements = elements;
    this.storage = storage;
  }

  /**
   * A tensor over {@code array}, of which it takes ownership: an array of {@code dtype.kind()} with
   * at least the elements of {@code shape}.
   */
  public static Tensor wrap(DataType dtype, Shape shape, Object array) {
    return view(dtype, shape, array, 0);
  }

  /** A tensor over {@code array} from element {@code offset} on. */
  public static Tensor view(DataType dtype, Shape shape, Object array, int offset) {
    int elements = shape.elements();
    int capacity = dtype.kind().capacity(array);
    if (!dtype.kind().slotType().equals(array.getClass().getComponentType())
        || offset < 0
        || elements > capacity - offset) {
      throw new IllegalArgumentException(
          "%s%s from %d does not lie in a %s of %d elements"
              .formatted(dtype, shape, offset, array.getClass().getSimpleName(), capacity));
    }
    return new Tensor(dtype, shape, elements, new HostArray(array, offset));
  }

  /** A float32 scalar. */
  public static Tensor scalar(float value) {
    return wrap(DataType.FLOAT32, Shape.SCALAR, new float[] {value});
  }

  /** A float64 scalar. */
  public static Tensor scalar(double value) {
    return wrap(DataType.FLOAT64, Shape.SCALAR, new double[] {value});
  }

  /** An int32 scalar. */
  public static Tensor scalar(int value) {
    return wrap(DataType.INT32, Shape.SCALAR, new int[] {value});
  }

  /** An int64 scalar. */
  public static Tensor scalar(long value) {
    return wrap(DataType.INT64, Shape.SCALAR, new long[] {value});
  }

  /** A bool scalar. */
  public static Tensor scalar(boolean value) {
    return wrap(DataType.BOOL, Shape.SCALAR, new byte[] {(byte) (value ? 1 : 0)});
  }

  /** A string scalar of the UTF-8 bytes of {@code value}. */
  public static Tensor scalar(String value) {
    return scalar(value.getBytes(UTF_8));
  }

  /** A string scalar; the tensor takes {@code value} over. */
  public static Tensor scalar(byte[] value) {
    return wrap(DataType.STRING, Shape.SCALAR, new byte[][] {value});
  }

  /** A variant scalar that holds {@code value}. */
  public static Tensor variant(Object value) {
    return wrap(DataType.VARIANT, Shape.SCALAR, new Object[] {value});
  }

  /** A resource scalar that holds {@code value}. */
  public static Tensor resource(Object value) {
    return wrap(DataType.RESOURCE, Shape.SCALAR, new Object[] {value});
  }

  /** A float32 vector; the tensor takes {@code values} over. */
  public static Tensor vector(float... values) {
    return wrap(DataType.FLOAT32, Shape.of(values.length), values);
  }

  /** An int32 vector; the tensor takes {@code values} over. */
  public static Tensor vector(int... values) {
    return wrap(DataType.INT32, Shape.of(values.length), values);
  }

  /** An int64 vector; the tensor takes {@code values} over. */
  public static Tensor vector(long... values) {
    return wrap(DataType.INT64, Shape.of(values.length), values);
  }

  /** A string vector. */
  public static Tensor vector(String... values) {
    byte[][] bytes = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = values[i].getBytes(UTF_8);
    }
    return wrap(DataType.STRING, Shape.of(values.length), bytes);
  }

  /** The dtype. */
  public DataType dtype() {
    return dtype;
  }

  /** The shape, always known. */
  public Shape shape() {
    return shape;
  }

  /** Number of elements. */
  public int elements() {
    return elements;
  }

  /** The storage of the elements. */
  public Storage storage() {
    return storage;
  }

  private HostArray host() {
    return (HostArray) storage;
  }

  /** The host array, not to be written to; the first element is at {@link #offset}. */
  public Object array() {
    return host().array();
  }

  /** The index, in elements, of the first element in {@link #array}. */
  public int offset() {
    return host().offset();
  }

  /** This tensor with its first element at index 0 of its array: itself, or a copy. */
  public Tensor compact() {
    if (offset() == 0) {
      return this;
    }
    Object copy = dtype.kind().newArray(elements);
    dtype.kind().copy(array(), offset(), copy, 0, elements);
    return new Tensor(dtype, shape, elements, new HostArray(copy, 0));
  }

  /** A tensor that shares nothing with larger arrays: itself if it fills its array, or a copy. */
  public Tensor detach() {
    return dtype.kind().capacity(array()) == elements
        ? this
        : new Tensor(dtype, shape, elements, new HostArray(copyOfElements(), 0));
  }

  private Object copyOfElements() {
    Object copy = dtype.kind().newArray(elements);
    dtype.kind().copy(array(), offset(), copy, 0, elements);
    return copy;
  }

  /** The elements from index 0 on, as {@code float[]}, which may be longer than the tensor. */
  public float[] floats() {
    return (float[]) compact().array();
  }

  /** The elements from index 0 on, as {@code double[]}. */
  public double[] doubles() {
    return (double[]) compact().array();
  }

  /** The elements from index 0 on, as {@code int[]}. */
  public int[] ints() {
    return (int[]) compact().array();
  }

  /** The elements from index 0 on, as {@code long[]}. */
  public long[] longs() {
    return (long[]) compact().array();
  }

  /** The elements from index 0 on, as {@code short[]}. */
  public short[] shorts() {
    return (short[]) compact().array();
  }

  /** The elements from index 0 on, as {@code byte[]}. */
  public byte[] bytes() {
    return (byte[]) compact().array();
  }

  /** The elements from index 0 on, as {@code byte[][]}. */
  public byte[][] strings() {
    return (byte[][]) compact().array();
  }

  /** The elements of a resource or variant tensor from index 0 on. */
  public Object[] references() {
    return (Object[]) compact().array();
  }

  /** Element {@code index} of an int32 or int64 tensor. */
  public long integer(int index) {
    Objects.checkIndex(index, elements);
    return switch (array()) {
      case int[] ints -> ints[offset() + index];
      case long[] longs -> longs[offset() + index];
      default -> throw StatusException.invalidArgument("expected int32 or int64, got %s", dtype);
    };
  }

  /** All elements of an int32 or int64 tensor. */
  public long[] integers() {
    long[] result = new long[elements];
    for (int i = 0; i < elements; i++) {
      result[i] = integer(i);
    }
    return result;
  }

  /** Element {@code index} of a bool tensor. */
  public boolean bool(int index) {
    return ((byte[]) array())[offset() + Objects.checkIndex(index, elements)] != 0;
  }

  /** Element {@code index} of a string tensor; not to be written to. */
  public byte[] string(int index) {
    return ((byte[][]) array())[offset() + Objects.checkIndex(index, elements)];
  }

  /** Element {@code index} of a resource or variant tensor. */
  public Object reference(int index) {
    return ((Object[]) array())[offset() + Objects.checkIndex(index, elements)];
  }

  /** The same elements in another shape with the same number of elements. */
  public Tensor reshape(Shape newShape) {
    if (newShape.elements() != elements) {
      throw StatusException.invalidArgument(
          "a tensor of %d values cannot take the shape %s", elements, newShape);
    }
    return new Tensor(dtype, newShape, elements, storage);
  }

  /** The same bits as another dtype of the same {@link ElementKind}. */
  public Tensor bitcastWithinKind(DataType newType) {
    if (newType.kind() != dtype.kind()) {
      throw new IllegalArgumentException(dtype + " and " + newType + " differ in kind");
    }
    return new Tensor(newType, shape, elements, storage);
  }

  /** A view of the slice {@code index} of the first dimension. */
  public Tensor row(int index) {
    Shape rowShape = shape.dropFirst(1);
    int rowElements = rowShape.elements();
    Objects.checkIndex(index, (int) shape.size(0));
    return new Tensor(
        dtype,
        rowShape,
        rowElements,
        new HostArray(array(), Math.addExact(offset(), index * rowElements)));
  }

  /** A view of the slices {@code from} up to {@code to} of the first dimension. */
  public Tensor rows(int from, int to) {
    Objects.checkFromToIndex(from, to, (int) shape.size(0));
    Shape rowShape = shape.dropFirst(1);
    int rowElements = rowShape.elements();
    return new Tensor(
        dtype,
        rowShape.prepend(to - from),
        (to - from) * rowElements,
        new HostArray(array(), offset() + from * rowElements));
  }

  /** The size of the elements in bytes: exact for fixed-width dtypes, an estimate for others. */
  public long byteSize() {
    ElementKind kind = dtype.kind();
    if (kind.isFixedWidth()) {
      return (long) elements * kind.elementBytes();
    }
    long total = 16L * elements;
    if (kind == ElementKind.BYTES) {
      for (int i = 0; i < elements; i++) {
        total += string(i).length;
      }
    }
    return total;
  }

  /** Dtype and shape, as {@code int64[2,3]}; never the elements. */
  @Override
  public String toString() {
    return dtype.tfName() + shape;
  }
}
