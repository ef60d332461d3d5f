package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A tensor as a Java value of {@code type}, and back: a primitive or String of a scalar, an array
 * of a vector, an array of arrays of a matrix, and so on; {@code byte[]} of a string, too. A
 * one-dimensional array holds tensors of any rank from 1 on, in row-major order, and a buffer of
 * any rank. Unsigned numbers are the signed ones of the same bits.
 *
 * @param type a primitive, {@link String}, {@link Tensor}, an array of such, or a buffer of
 *     primitives
 */
record RowValues(Class<?> type) {
  private static final Map<Class<?>, List<DataType>> DTYPES =
      Map.of(
          boolean.class, List.of(DataType.BOOL),
          byte.class, List.of(DataType.UINT8, DataType.INT8),
          short.class, List.of(DataType.INT16, DataType.UINT16),
          int.class, List.of(DataType.INT32, DataType.UINT32),
          long.class, List.of(DataType.INT64, DataType.UINT64),
          float.class, List.of(DataType.FLOAT32),
          double.class, List.of(DataType.FLOAT64),
          String.class, List.of(DataType.STRING));

  /** The primitives in each type of buffer. */
  private static final Map<Class<?>, Class<?>> BUFFERS =
      Map.of(
          ByteBuffer.class, byte.class,
          ShortBuffer.class, short.class,
          IntBuffer.class, int.class,
          LongBuffer.class, long.class,
          FloatBuffer.class, float.class,
          DoubleBuffer.class, double.class);

  /** Whether tensors can be values of {@code type}. */
  static boolean isSupported(Class<?> type) {
    return type == Tensor.class || DTYPES.containsKey(base(type)) || BUFFERS.containsKey(type);
  }

  private boolean isBuffer() {
    return BUFFERS.containsKey(type);
  }

  private static Class<?> base(Class<?> type) {
    Class<?> base = type;
    while (base.isArray()) {
      base = base.getComponentType();
    }
    return base;
  }

  /** The dtypes of the primitives or strings; none for tensors. */
  private List<DataType> dtypes() {
    return DTYPES.getOrDefault(BUFFERS.getOrDefault(type, base(type)), List.of());
  }

  /** The number of dimensions of the array; 0 for others. */
  private int depth() {
    int depth = 0;
    for (Class<?> c = type; c.isArray(); c = c.getComponentType()) {
      depth++;
    }
    return depth;
  }

  /** Whether tensors of this dtype and shape, as far as it is known, can be values of the type. */
  boolean fits(DataType dtype, Shape shape) {
    if (type == Tensor.class) {
      return true;
    }
    if (isBuffer()) {
      return dtypes().contains(dtype);
    }
    boolean bytes = base(type) == byte.class && depth() > 0 && dtype == DataType.STRING;
    if (!bytes && !dtypes().contains(dtype)) {
      return false;
    }
    int rank = bytes ? depth() - 1 : depth();
    return shape.isUnknownRank()
        || shape.rank() == rank
        || (depth() == 1 && !bytes && shape.rank() > 1);
  }

  /** The tensors that the type holds, for messages: {@code float vectors}. */
  String held() {
    if (type == Tensor.class) {
      return "any tensor";
    }
    String dtypes = dtypes().stream().map(DataType::tfName).collect(Collectors.joining(" or "));
    if (isBuffer()) {
      return dtypes + " tensors of any rank";
    }
    String sized =
        switch (depth()) {
          case 0 -> " scalars";
          case 1 -> " vectors";
          default -> " tensors of rank " + depth();
        };
    boolean bytes = base(type) == byte.class && depth() > 0;
    return dtypes + sized + (bytes ? ", or strings of one rank less" : "");
  }

  /**
   * The value of {@code tensor}.
   *
   * @throws StatusException INVALID_ARGUMENT if its rank, unknown before, is another one
   */
  Object read(Tensor tensor) {
    if (!fits(tensor.dtype(), tensor.shape())) {
      throw StatusException.invalidArgument(
          "%s holds %s, and the value is %s", type.getSimpleName(), held(), tensor.typeAndShape());
    }
    return isBuffer() ? buffer(tensor) : read(tensor, type);
  }

  /** A direct buffer of the values, in this machine's byte order. */
  private static Object buffer(Tensor tensor) {
    ByteBuffer buffer = tensor.toDirectBuffer();
    return switch (tensor.dtype().kind()) {
      case BYTE -> buffer;
      case SHORT -> buffer.asShortBuffer();
      case INT -> buffer.asIntBuffer();
      case LONG -> buffer.asLongBuffer();
      case FLOAT -> buffer.asFloatBuffer();
      case DOUBLE -> buffer.asDoubleBuffer();
      case FLOAT_PAIR, DOUBLE_PAIR, BYTES, REFERENCE -> throw new AssertionError(tensor.dtype());
    };
  }

  private static Object read(Tensor tensor, Class<?> type) {
    if (type == Tensor.class) {
      return tensor;
    }
    if (type == byte[].class && tensor.dtype() == DataType.STRING) {
      return tensor.string(0).clone();
    }
    if (!type.isArray()) {
      return scalar(tensor, type);
    }
    Class<?> part = type.getComponentType();
    if (part.isPrimitive()) {
      return array(tensor, part);
    }
    if (part == String.class) {
      return Arrays.stream(tensor.strings())
          .map(bytes -> new String(bytes, UTF_8))
          .toArray(String[]::new);
    }
    int size = (int) tensor.shape().size(0);
    Object result = Array.newInstance(part, size);
    for (int i = 0; i < size; i++) {
      Array.set(result, i, read(tensor.row(i), part));
    }
    return result;
  }

  private static Object scalar(Tensor tensor, Class<?> type) {
    return type == String.class
        ? new String(tensor.string(0), UTF_8)
        : Array.get(array(tensor, type), 0);
  }

  /** A new array of the values, in row-major order. */
  private static Object array(Tensor tensor, Class<?> part) {
    return switch (tensor.dtype().kind()) {
      case BYTE -> part == boolean.class ? booleans(tensor.bytes()) : tensor.bytes();
      case SHORT -> tensor.shorts();
      case INT -> tensor.ints();
      case LONG -> tensor.longs();
      case FLOAT -> tensor.floats();
      case DOUBLE -> tensor.doubles();
      case FLOAT_PAIR, DOUBLE_PAIR, BYTES, REFERENCE -> throw new AssertionError(tensor.dtype());
    };
  }

  private static boolean[] booleans(byte[] values) {
    boolean[] result = new boolean[values.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = values[i] != 0;
    }
    return result;
  }

  /**
   * The dtype and shape of the tensors that {@link #write} makes.
   *
   * @throws StatusException INVALID_ARGUMENT if the type does not say
   */
  Structure.Component component() {
    if (type == Tensor.class) {
      throw StatusException.invalidArgument(
          "a record whose values become elements says their dtypes, and a Tensor does not");
    }
    if (isBuffer()) {
      throw StatusException.invalidArgument(
          "a record whose values become elements says their ranks by arrays, and a %s does not",
          type.getSimpleName());
    }
    boolean bytes = base(type) == byte.class && depth() > 0;
    DataType dtype = bytes ? DataType.STRING : dtypes().getFirst();
    long[] sizes = new long[bytes ? depth() - 1 : depth()];
    Arrays.fill(sizes, Shape.UNKNOWN_DIMENSION);
    return new Structure.Component(dtype, Shape.of(sizes));
  }

  /**
   * The tensor of {@code value}; a {@code byte[]} becomes a string.
   *
   * @throws StatusException INVALID_ARGUMENT if inner arrays have different lengths
   */
  Tensor write(Object value) {
    Structure.Component component = component();
    long[] sizes = new long[component.shape().rank()];
    Object part = value;
    for (int axis = 0; axis < sizes.length; axis++) {
      sizes[axis] = part == null ? 0 : Array.getLength(part);
      part = part == null || sizes[axis] == 0 ? null : Array.get(part, 0);
    }
    Shape shape = Shape.of(sizes);
    Object array = component.dtype().kind().newArray(shape.elements());
    int written = write(value, sizes, 0, array, 0);
    if (written != shape.elements()) {
      throw ragged();
    }
    return Tensor.wrap(component.dtype(), shape, array);
  }

  private static int write(Object value, long[] sizes, int axis, Object array, int at) {
    if (axis == sizes.length) {
      switch (array) {
        case byte[][] strings ->
            strings[at] = value instanceof String s ? s.getBytes(UTF_8) : ((byte[]) value).clone();
        case byte[] bytes ->
            bytes[at] = value instanceof Boolean b ? (byte) (b ? 1 : 0) : (Byte) value;
        default -> Array.set(array, at, value);
      }
      return at + 1;
    }
    if (Array.getLength(value) != sizes[axis]) {
      throw ragged();
    }
    int next = at;
    for (int i = 0; i < sizes[axis]; i++) {
      next = write(Array.get(value, i), sizes, axis + 1, array, next);
    }
    return next;
  }

  private static StatusException ragged() {
    return StatusException.invalidArgument("the inner arrays of a value differ in length");
  }
}
