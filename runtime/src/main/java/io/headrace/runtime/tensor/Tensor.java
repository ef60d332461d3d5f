package io.headrace.runtime.tensor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Storage.HostArray;
import io.headrace.runtime.tensor.Storage.InNative;
import io.headrace.runtime.tensor.Storage.InPieces;
import io.headrace.runtime.tensor.Storage.OnDevice;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * An array of elements of one dtype and a known shape, in row-major order.
 *
 * <p>{@link #of}, {@link #vector} and {@link #scalar} copy what they are given, and {@link
 * #floats}, {@link #longs} and their like return a new array of exactly the tensor's values. All of
 * them check the dtype: INVALID_ARGUMENT that names the dtype asked for and the tensor's own.
 *
 * <p>Kernels do not copy. {@link #wrap} and {@link #view} make a tensor over an array, which must
 * not be written to afterwards, and {@link TensorMemory} is the array behind a tensor.
 *
 * <p>Immutable, so safe to share between threads. Views ({@link #row}, {@link #rows}, {@link
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
   * A tensor of a copy of {@code array}.
   *
   * @param array an array of {@code dtype.kind()} with exactly the elements of {@code shape}: a
   *     {@code float[]} for float32, a {@code byte[][]} for string
   * @throws StatusException INVALID_ARGUMENT for an array of another type or length
   */
  public static Tensor of(DataType dtype, Shape shape, Object array) {
    ElementKind kind = dtype.kind();
    int elements = shape.elements();
    Class<?> slotType = array.getClass().getComponentType();
    if (slotType != kind.slotType() || Array.getLength(array) != elements * kind.slots()) {
      throw StatusException.invalidArgument(
          "a tensor %s%s is made of a %s[] of length %d, not of a %s%s",
          dtype.tfName(),
          shape,
          kind.slotType().getSimpleName(),
          elements * kind.slots(),
          array.getClass().getSimpleName(),
          slotType == null ? "" : " of length " + Array.getLength(array));
    }
    Object copy = kind.newArray(elements);
    kind.copy(array, 0, copy, 0, elements);
    return wrap(dtype, shape, copy);
  }

  /**
   * A tensor over {@code array}, of which it takes ownership: an array of {@code dtype.kind()} with
   * at least the elements of {@code shape}. Nothing is copied.
   */
  public static Tensor wrap(DataType dtype, Shape shape, Object array) {
    return view(dtype, shape, array, 0);
  }

  /** A tensor over {@code array} from element {@code offset} on. Nothing is copied. */
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

  /** A string scalar of a copy of {@code value}. */
  public static Tensor scalar(byte[] value) {
    return wrap(value.clone());
  }

  /** A string scalar over {@code value}, of which it takes ownership. Nothing is copied. */
  public static Tensor wrap(byte[] value) {
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

  /** A float32 vector of a copy of {@code values}. */
  public static Tensor vector(float... values) {
    return wrap(DataType.FLOAT32, Shape.of(values.length), values.clone());
  }

  /** An int32 vector of a copy of {@code values}. */
  public static Tensor vector(int... values) {
    return wrap(DataType.INT32, Shape.of(values.length), values.clone());
  }

  /** An int64 vector of a copy of {@code values}. */
  public static Tensor vector(long... values) {
    return wrap(DataType.INT64, Shape.of(values.length), values.clone());
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

  /** Dtype and shape, as {@code int64[2,3]}. */
  public String typeAndShape() {
    return dtype.tfName() + shape;
  }

  /** Number of elements. */
  public int elements() {
    return elements;
  }

  /** The storage of the elements. */
  Storage storage() {
    return storage;
  }

  /** A tensor whose elements are in a device's memory. */
  static Tensor onDevice(DataType dtype, Shape shape, DeviceStorage memory) {
    int elements = shape.elements();
    return new Tensor(dtype, shape, elements, new OnDevice(dtype.kind(), elements, memory));
  }

  /** See {@link TensorMemory#ofSegment}. */
  static Tensor ofSegment(DataType dtype, Shape shape, MemorySegment segment) {
    int elements = shape.elements();
    if (!dtype.kind().isFixedWidth() || segment.byteSize() != (long) elements * dtype.byteSize()) {
      throw new IllegalArgumentException(
          "%d bytes for %s%s".formatted(segment.byteSize(), dtype, shape));
    }
    return new Tensor(dtype, shape, elements, new InNative(dtype.kind(), elements, segment));
  }

  /**
   * A tensor of the values of {@code parts}, one after another: copied now or, if all are large,
   * when someone needs them in one array.
   *
   * @param dtype the dtype of all parts
   * @param shape a shape of as many elements as they have together
   */
  static Tensor join(DataType dtype, Shape shape, List<Tensor> parts) {
    if (parts.stream().allMatch(InPieces::takes)) {
      return new Tensor(dtype, shape, shape.elements(), new InPieces(dtype.kind(), parts));
    }
    Object array = dtype.kind().newArray(shape.elements());
    InPieces.copy(parts, dtype.kind(), array);
    return wrap(dtype, shape, array);
  }

  /** See {@link TensorMemory#pieces}. */
  List<Tensor> pieces() {
    List<Tensor> pieces = storage instanceof InPieces stored ? stored.pieces() : null;
    return pieces == null ? List.of(this) : pieces;
  }

  /** The backing array: see {@link TensorMemory#array}. */
  Object array() {
    return storage.host().array();
  }

  /** The index, in elements, of the first element in {@link #array}. */
  int offset() {
    return storage.offset();
  }

  /** This tensor with its first element at index 0 of its array: itself, or a copy. */
  public Tensor compact() {
    if (offset() == 0) {
      return this;
    }
    return new Tensor(dtype, shape, elements, new HostArray(copyOfElements(), 0));
  }

  /** A tensor that shares nothing with larger arrays: itself if it fills its array, or a copy. */
  public Tensor detach() {
    return dtype.kind().capacity(array()) == elements
        ? this
        : new Tensor(dtype, shape, elements, new HostArray(copyOfElements(), 0));
  }

  private Object copyOfElements() {
    Object copy = dtype.kind().newArray(elements);
    InPieces.copy(pieces(), dtype.kind(), copy);
    return copy;
  }

  /** A copy of the values of a float32 tensor; of complex64, real and imaginary part of each. */
  public float[] floats() {
    return (float[]) values(float.class, "floats");
  }

  /** A copy of the values of a float64 tensor; of complex128, real and imaginary part of each. */
  public double[] doubles() {
    return (double[]) values(double.class, "doubles");
  }

  /** A copy of the values of an int32, uint32 or qint32 tensor. */
  public int[] ints() {
    return (int[]) values(int.class, "ints");
  }

  /** A copy of the values of an int64 or uint64 tensor. */
  public long[] longs() {
    return (long[]) values(long.class, "longs");
  }

  /** A copy of the values of a 16-bit tensor: integers, or the bits of half and bfloat16. */
  public short[] shorts() {
    return (short[]) values(short.class, "shorts");
  }

  /**
   * A copy of the bytes of a tensor with one an element: integers, bool as 0 and 1, the bits of
   * float8, or smaller types in the lower bits.
   */
  public byte[] bytes() {
    return (byte[]) values(byte.class, "bytes");
  }

  /** The values of a string tensor, in a new array; the strings are not to be written to. */
  public byte[][] strings() {
    return (byte[][]) values(byte[].class, "strings");
  }

  /** The values of a resource or variant tensor, in a new array. */
  public Object[] references() {
    return (Object[]) values(Object.class, "references");
  }

  /**
   * A copy of the values in a new direct buffer, from its position 0 to its limit: in row-major
   * order and this machine's byte order, as native libraries take them. A bool takes a byte, a
   * complex number two floating-point numbers.
   *
   * <pre>{@code
   * FloatBuffer images = batch.get("image").tensor().toDirectBuffer().asFloatBuffer();
   * }</pre>
   *
   * @throws StatusException INVALID_ARGUMENT for strings, resources and variants
   */
  public ByteBuffer toDirectBuffer() {
    return TensorBuffers.direct(this);
  }

  /**
   * Copies the values into {@code target}, from its position on, which moves behind them: in
   * row-major order and {@code target}'s byte order. A buffer can be used again for batch after
   * batch.
   *
   * @throws StatusException INVALID_ARGUMENT for strings, resources and variants, and if {@code
   *     target} has too little room; nothing is copied then
   * @throws java.nio.ReadOnlyBufferException if {@code target} can't be written to
   */
  public void copyTo(ByteBuffer target) {
    TensorBuffers.copy(this, target);
  }

  private Object values(Class<?> slotType, String accessor) {
    if (dtype.kind().slotType() != slotType) {
      throw StatusException.invalidArgument(
          "%s() reads a tensor of %s, and this one is %s",
          accessor, namesOf(slotType), typeAndShape());
    }
    return copyOfElements();
  }

  private static String namesOf(Class<?> slotType) {
    return Arrays.stream(DataType.values())
        .filter(type -> type.kind().slotType() == slotType)
        .map(DataType::tfName)
        .collect(Collectors.joining(", "));
  }

  private StatusException notOf(String expected) {
    return StatusException.invalidArgument("expected %s, got %s", expected, typeAndShape());
  }

  /**
   * Element {@code index} of an int16, int32, uint32 or int64 tensor; of uint64, the same bits,
   * which are negative from 2^63 on.
   */
  public long integer(int index) {
    Objects.checkIndex(index, elements);
    return switch (array()) {
      case int[] ints -> signed(ints[offset() + index]);
      case long[] longs -> longs[offset() + index];
      case short[] shorts when dtype == DataType.INT16 -> shorts[offset() + index];
      default -> throw notOf("int32 or int64");
    };
  }

  private long signed(int bits) {
    return dtype == DataType.UINT32 ? Integer.toUnsignedLong(bits) : bits;
  }

  /** All elements of an int16, int32, uint32 or int64 tensor, as {@link #integer} has them. */
  public long[] integers() {
    long[] result = new long[elements];
    for (int i = 0; i < elements; i++) {
      result[i] = integer(i);
    }
    return result;
  }

  /** Element {@code index} of a bool tensor. */
  public boolean bool(int index) {
    if (!(array() instanceof byte[] bytes)) {
      throw notOf("bool");
    }
    return bytes[offset() + Objects.checkIndex(index, elements)] != 0;
  }

  /** Element {@code index} of a string tensor; not to be written to. */
  public byte[] string(int index) {
    if (!(array() instanceof byte[][] strings)) {
      throw notOf("string");
    }
    return strings[offset() + Objects.checkIndex(index, elements)];
  }

  /** Element {@code index} of a resource or variant tensor. */
  public Object reference(int index) {
    if (dtype.kind() != ElementKind.REFERENCE) {
      throw notOf("resource or variant");
    }
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
    Objects.checkIndex(index, (int) shape.size(0));
    Shape rowShape = shape.dropFirst(1);
    return part(rowShape, index * rowShape.elements());
  }

  /** A view of the slices {@code from} up to {@code to} of the first dimension. */
  public Tensor rows(int from, int to) {
    Objects.checkFromToIndex(from, to, (int) shape.size(0));
    Shape rowShape = shape.dropFirst(1);
    return part(rowShape.prepend(to - from), from * rowShape.elements());
  }

  /** A view of the elements of {@code partShape} from element {@code from} on. */
  Tensor part(Shape partShape, int from) {
    int count = partShape.elements();
    if (count == elements) {
      return reshape(partShape);
    }
    List<Tensor> covered =
        storage instanceof InPieces ? InPieces.covered(pieces(), from, count) : List.of();
    if (covered.size() == 1) {
      return covered.getFirst().reshape(partShape);
    }
    return new Tensor(
        dtype,
        partShape,
        count,
        covered.isEmpty()
            ? new HostArray(array(), Math.addExact(offset(), from))
            : new InPieces(dtype.kind(), covered));
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

  /**
   * Dtype, shape and values, as {@code int64[2,3] [[1 2 3] [4 5 6]]}: in NumPy's notation, on one
   * line. Long dimensions and strings are cut.
   */
  @Override
  public String toString() {
    return TensorDisplay.of(this);
  }
}
