package io.headrace.runtime.tensor;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.proto.tensorflow.VariantTensorDataProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteOrder;

/**
 * The {@code tensor_content} form: numbers raw, little-endian, row-major; strings, variants and
 * resources as varint lengths of all and then the bytes of all.
 */
public final class TensorContent {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The maximum size of one array, and nearly of one message. */
  private static final long MAX_BYTES = Integer.MAX_VALUE;

  private TensorContent() {}

  static Tensor read(DataType dtype, Shape shape, ByteString content) {
    int elements = shape.elements();
    if (!dtype.kind().isFixedWidth()) {
      return readVarlen(dtype, shape, elements, content);
    }
    long expected = (long) elements * dtype.byteSize();
    if (content.size() != expected) {
      throw StatusException.invalidArgument(
          "a tensor %s%s takes %d bytes, and its tensor_content has %d",
          dtype.tfName(), shape, expected, content.size());
    }
    Object array = TensorLimit.allocate(dtype, shape);
    readNumbers(MemorySegment.ofBuffer(content.asReadOnlyByteBuffer()), 0, array);
    if (dtype == DataType.BOOL) {
      checkBools((byte[]) array);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static void checkBools(byte[] values) {
    for (byte value : values) {
      if ((value & ~1) != 0) {
        throw StatusException.invalidArgument(
            "a bool is a byte of 0 or 1, and tensor_content has one of %d", value & 0xff);
      }
    }
  }

  /** Fills {@code array}, of a fixed-width kind, with the little-endian numbers from an offset. */
  public static void readNumbers(MemorySegment from, long offsetBytes, Object array) {
    readNumbers(from, offsetBytes, array, 0, Array.getLength(array));
  }

  /**
   * Fills {@code slots} slots of {@code array}, from slot {@code first}, with the little-endian
   * numbers from an offset.
   */
  public static void readNumbers(
      MemorySegment from, long offsetBytes, Object array, int first, int slots) {
    switch (array) {
      case byte[] a ->
          MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offsetBytes, a, first, slots);
      case short[] a -> MemorySegment.copy(from, SHORT, offsetBytes, a, first, slots);
      case int[] a -> MemorySegment.copy(from, INT, offsetBytes, a, first, slots);
      case long[] a -> MemorySegment.copy(from, LONG, offsetBytes, a, first, slots);
      case float[] a -> MemorySegment.copy(from, FLOAT, offsetBytes, a, first, slots);
      case double[] a -> MemorySegment.copy(from, DOUBLE, offsetBytes, a, first, slots);
      default -> throw new IllegalArgumentException("not numbers: " + array.getClass());
    }
  }

  /**
   * Writes {@code slots} slots of {@code array}, from slot {@code first}, as little-endian bytes.
   */
  public static void writeNumbers(
      Object array, int first, int slots, MemorySegment to, long offsetBytes) {
    switch (array) {
      case byte[] a -> MemorySegment.copy(a, first, to, ValueLayout.JAVA_BYTE, offsetBytes, slots);
      case short[] a -> MemorySegment.copy(a, first, to, SHORT, offsetBytes, slots);
      case int[] a -> MemorySegment.copy(a, first, to, INT, offsetBytes, slots);
      case long[] a -> MemorySegment.copy(a, first, to, LONG, offsetBytes, slots);
      case float[] a -> MemorySegment.copy(a, first, to, FLOAT, offsetBytes, slots);
      case double[] a -> MemorySegment.copy(a, first, to, DOUBLE, offsetBytes, slots);
      default -> throw new IllegalArgumentException("not numbers: " + array.getClass());
    }
  }

  /**
   * The elements of {@code tensor} in this form, sharing its array if possible. RESOURCE_EXHAUSTED
   * if that takes 2 GiB or more.
   */
  static ByteString write(Tensor tensor) {
    DataType dtype = tensor.dtype();
    if (!dtype.kind().isFixedWidth()) {
      return writeVarlen(tensor);
    }
    int slots = dtype.kind().slots();
    MemorySegment segment = TensorMemory.segment(tensor);
    if (segment != null) {
      byte[] bytes = new byte[length(dtype, tensor.shape(), segment.byteSize())];
      MemorySegment.ofArray(bytes).copyFrom(segment);
      return TensorProtos.wrap(bytes);
    }
    if (tensor.array() instanceof byte[] bytes) {
      return UnsafeByteOperations.unsafeWrap(bytes, tensor.offset(), tensor.elements());
    }
    byte[] bytes = new byte[length(dtype, tensor.shape(), tensor.byteSize())];
    writeNumbers(
        tensor.array(),
        tensor.offset() * slots,
        tensor.elements() * slots,
        MemorySegment.ofArray(bytes),
        0);
    return TensorProtos.wrap(bytes);
  }

  /** {@code bytes} as an array length; RESOURCE_EXHAUSTED if it exceeds the maximum. */
  static int length(DataType dtype, Shape shape, long bytes) {
    if (bytes > MAX_BYTES) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "a tensor %s%s takes %d bytes, and a message holds no more than %d",
          dtype.tfName(),
          shape,
          bytes,
          MAX_BYTES);
    }
    return (int) bytes;
  }

  private static Tensor readVarlen(DataType dtype, Shape shape, int elements, ByteString content) {
    // An element takes at least one byte for its length; the check keeps a hostile shape from
    // allocating.
    if (elements > content.size()) {
      throw mismatch(dtype, shape);
    }
    try {
      CodedInputStream in = content.newCodedInput();
      int[] lengths = new int[elements];
      long total = 0;
      for (int i = 0; i < elements; i++) {
        lengths[i] = in.readRawVarint32();
        total += lengths[i];
        if (lengths[i] < 0 || total > content.size()) {
          throw mismatch(dtype, shape);
        }
      }
      if (total + in.getTotalBytesRead() != content.size()) {
        throw mismatch(dtype, shape);
      }
      return readElements(dtype, shape, in, lengths);
    } catch (IOException e) {
      throw new StatusException(StatusCode.INVALID_ARGUMENT, mismatch(dtype, shape).message(), e);
    }
  }

  private static Tensor readElements(
      DataType dtype, Shape shape, CodedInputStream in, int[] lengths) throws IOException {
    if (dtype == DataType.STRING) {
      byte[][] strings = new byte[lengths.length][];
      for (int i = 0; i < strings.length; i++) {
        strings[i] = in.readRawBytes(lengths[i]);
      }
      return Tensor.wrap(dtype, shape, strings);
    }
    Object[] values = new Object[lengths.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = parse(dtype, in.readRawBytes(lengths[i]));
    }
    return Tensor.wrap(dtype, shape, values);
  }

  private static Object parse(DataType dtype, byte[] bytes) throws InvalidProtocolBufferException {
    return dtype == DataType.RESOURCE
        ? ResourceHandleProto.parseFrom(bytes)
        : new Variant.Encoded(VariantTensorDataProto.parseFrom(bytes));
  }

  private static StatusException mismatch(DataType dtype, Shape shape) {
    return StatusException.invalidArgument(
        "the tensor_content of a tensor %s%s does not hold that many elements",
        dtype.tfName(), shape);
  }

  private static ByteString writeVarlen(Tensor tensor) {
    int elements = tensor.elements();
    byte[][] encoded = new byte[elements][];
    long size = 0;
    for (int i = 0; i < elements; i++) {
      encoded[i] = tensor.dtype() == DataType.STRING ? tensor.string(i) : encode(tensor, i);
      size += encoded[i].length;
      size += CodedOutputStream.computeUInt32SizeNoTag(encoded[i].length);
    }
    byte[] bytes = new byte[length(tensor.dtype(), tensor.shape(), size)];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      for (byte[] element : encoded) {
        out.writeUInt32NoTag(element.length);
      }
      for (byte[] element : encoded) {
        out.writeRawBytes(element);
      }
    } catch (IOException e) {
      throw new AssertionError("the size was computed", e);
    }
    return TensorProtos.wrap(bytes);
  }

  private static byte[] encode(Tensor tensor, int index) {
    return switch (tensor.reference(index)) {
      case Variant v -> v.encode().toByteArray();
      case ResourceHandleProto handle -> handle.toByteArray();
      case Object other ->
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION,
              "a %s holding a %s cannot leave its process",
              tensor.dtype().tfName(),
              other.getClass().getSimpleName());
    };
  }
}
