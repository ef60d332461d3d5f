package io.headrace.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorContent;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of {@code numpy.save}: format versions 1 to 3, numbers of either byte order,
 * bytes and text, in C or Fortran order. {@code numpy.lib.format} specifies the format.
 */
final class NpyFile {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final Pattern HEADER =
      Pattern.compile(
          "\\{'descr': '([<>|=])(\\w)(\\d+)', 'fortran_order': (True|False), 'shape':"
              + " \\(([\\d, ]*)\\),? *\\}\\s*");
  private static final Map<String, DataType> NUMBERS =
      Map.ofEntries(
          Map.entry("b1", DataType.BOOL),
          Map.entry("i1", DataType.INT8),
          Map.entry("i2", DataType.INT16),
          Map.entry("i4", DataType.INT32),
          Map.entry("i8", DataType.INT64),
          Map.entry("u1", DataType.UINT8),
          Map.entry("u2", DataType.UINT16),
          Map.entry("u4", DataType.UINT32),
          Map.entry("u8", DataType.UINT64),
          Map.entry("f2", DataType.FLOAT16),
          Map.entry("f4", DataType.FLOAT32),
          Map.entry("f8", DataType.FLOAT64),
          Map.entry("c8", DataType.COMPLEX64),
          Map.entry("c16", DataType.COMPLEX128));
  private static final int CODE_POINT_BYTES = 4;

  private final Path file;
  private final byte[] bytes;

  private NpyFile(Path file, byte[] bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /**
   * The array in {@code file}.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the file, if it can't be read, is not an .npy
   *     file, or has an unsupported type; RESOURCE_EXHAUSTED if it is too large
   */
  static Tensor read(Path file) {
    try {
      return new NpyFile(file, Files.readAllBytes(file)).tensor();
    } catch (IOException e) {
      throw StatusException.invalidArgument(
          "%s can't be read: %s", file, e.getClass().getSimpleName());
    }
  }

  private Tensor tensor() {
    int begin = headerBegin();
    int end = begin + headerLength(begin);
    if (end > bytes.length) {
      throw invalid("its header is cut off");
    }
    Matcher header = HEADER.matcher(new String(bytes, begin, end - begin, ISO_8859_1));
    if (!header.matches()) {
      throw invalid("its header is not that of an array of numbers or strings");
    }
    int size = Integer.parseInt(header.group(3));
    boolean isText = header.group(2).equals("U");
    int stride = isText ? size * CODE_POINT_BYTES : size;
    Shape shape = shape(header.group(5));
    byte[] data = data(shape, end, stride);
    if (header.group(4).equals("True")) {
      data = rowMajor(data, shape, stride);
    }
    ByteOrder order = header.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    if (isText || header.group(2).equals("S")) {
      return strings(shape, data, stride, isText ? order : null);
    }
    @Nullable DataType dtype = NUMBERS.get(header.group(2) + size);
    if (dtype == null) {
      throw invalid("it holds " + header.group(2) + size + ", which no dtype is");
    }
    return numbers(dtype, shape, data, order);
  }

  private int headerBegin() {
    int versionAt = MAGIC.length;
    if (bytes.length < versionAt + 6 || !Arrays.equals(MAGIC, Arrays.copyOf(bytes, versionAt))) {
      throw invalid("it does not begin as such files do");
    }
    return switch (bytes[versionAt]) {
      case 1 -> versionAt + 4;
      case 2, 3 -> versionAt + 6;
      default -> throw invalid("its format version is " + bytes[versionAt] + ", not 1 to 3");
    };
  }

  private int headerLength(int begin) {
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int length =
        bytes[MAGIC.length] == 1
            ? Short.toUnsignedInt(header.getShort(begin - 2))
            : header.getInt(begin - 4);
    if (length < 0 || length > bytes.length) {
      throw invalid("its header is cut off");
    }
    return length;
  }

  private Shape shape(String text) {
    try {
      return Shape.of(
          Stream.of(text.split(","))
              .map(String::strip)
              .filter(size -> !size.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray());
    } catch (NumberFormatException _) {
      throw invalid("its shape is (" + text + ")");
    }
  }

  private byte[] data(Shape shape, int begin, int stride) {
    long expected = (long) shape.elements() * stride;
    if (bytes.length - begin != expected) {
      throw invalid(
          "an array of shape %s takes %d bytes, and it has %d"
              .formatted(shape, expected, bytes.length - begin));
    }
    return Arrays.copyOfRange(bytes, begin, bytes.length);
  }

  /** Converts Fortran order to C order. */
  private static byte[] rowMajor(byte[] data, Shape shape, int stride) {
    byte[] sorted = new byte[data.length];
    int rank = shape.rank();
    long[] index = new long[rank];
    for (int to = 0; to < data.length; to += stride) {
      long from = 0;
      for (int dim = rank - 1; dim >= 0; dim--) {
        from = from * shape.size(dim) + index[dim];
      }
      System.arraycopy(data, (int) from * stride, sorted, to, stride);
      for (int dim = rank - 1; dim >= 0 && ++index[dim] == shape.size(dim); dim--) {
        index[dim] = 0;
      }
    }
    return sorted;
  }

  private static Tensor numbers(DataType dtype, Shape shape, byte[] data, ByteOrder order) {
    if (order == ByteOrder.BIG_ENDIAN) {
      reverse(data, dtype.byteSize() / dtype.kind().slots());
    }
    Object array = TensorLimit.allocate(dtype, shape);
    TensorContent.readNumbers(MemorySegment.ofArray(data), 0, array);
    return Tensor.wrap(dtype, shape, array);
  }

  private static void reverse(byte[] data, int size) {
    for (int begin = 0; begin < data.length; begin += size) {
      for (int i = begin, j = begin + size - 1; i < j; i++, j--) {
        byte other = data[i];
        data[i] = data[j];
        data[j] = other;
      }
    }
  }

  /**
   * Strings of {@code stride} bytes each, zero-padded: UTF-32 in the given byte order, or bytes if
   * {@code order} is null.
   */
  private static Tensor strings(Shape shape, byte[] data, int stride, @Nullable ByteOrder order) {
    Object array = TensorLimit.allocate(DataType.STRING, shape);
    byte[][] strings = (byte[][]) array;
    for (int i = 0; i < strings.length; i++) {
      ByteBuffer one = ByteBuffer.wrap(data, i * stride, stride);
      strings[i] = order == null ? bytes(one) : text(one.order(order));
    }
    return Tensor.wrap(DataType.STRING, shape, array);
  }

  private static byte[] bytes(ByteBuffer padded) {
    int from = padded.position();
    int end = padded.limit();
    while (end > from && padded.get(end - 1) == 0) {
      end--;
    }
    byte[] bytes = new byte[end - from];
    padded.get(from, bytes);
    return bytes;
  }

  private static byte[] text(ByteBuffer padded) {
    StringBuilder text = new StringBuilder();
    while (padded.hasRemaining()) {
      text.appendCodePoint(padded.getInt());
    }
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == 0) {
      end--;
    }
    return text.substring(0, end).getBytes(UTF_8);
  }

  private StatusException invalid(String reason) {
    return StatusException.invalidArgument("%s is not a usable .npy file: %s", file, reason);
  }
}
