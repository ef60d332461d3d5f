package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.CodedOutputStream;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@code tf.train.Example}: named features, each a list of int64, float32 or strings. {@link
 * Ops#parseExample} reads it, and TensorFlow does.
 *
 * <p>A feature is made of a tensor's values in row-major order; its shape is not kept. Integers and
 * bools become int64, float32 stays, strings stay; other dtypes are INVALID_ARGUMENT, as a value
 * would change: cast first. Immutable.
 *
 * @param features the features, by name
 */
public record Example(Map<String, Tensor> features) {
  private static final int LENGTH_DELIMITED_1 = 1 << 3 | 2;
  private static final int LENGTH_DELIMITED_2 = 2 << 3 | 2;

  /** The field of a Feature that holds each kind of list. */
  private static final int BYTES_LIST = 1;

  private static final int FLOAT_LIST = 2;
  private static final int INT64_LIST = 3;

  /** Copies the map. */
  public Example {
    requireNonNull(features, "features is null");
    features = Map.copyOf(features);
    features.forEach((name, value) -> {
      var _ = list(name, value.dtype());
    });
  }

  /**
   * The features of an element, a map whose parts are tensors.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the part, for another structure or dtype
   */
  public static Example of(Element element) {
    requireNonNull(element, "element is null");
    if (!(element.structure() instanceof Structure.Dict dict)) {
      throw StatusException.invalidArgument(
          "an Example is made of a map of named features, and the element is %s",
          element.structure());
    }
    Map<String, Tensor> features = new TreeMap<>();
    dict.parts()
        .forEach((name, part) -> {
          if (!(part instanceof Structure.Component)) {
            throw StatusException.invalidArgument(
                "a feature of an Example is one tensor, and %s is %s", name, part);
          }
          features.put(name, element.get(name).tensor());
        });
    return new Example(features);
  }

  /**
   * The components of a record, by their names, as {@link Dataset#fromIterable(Class, Iterable)}
   * reads them.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the component, if one is null or of another
   *     type
   */
  public static <R extends Record> Example of(R row) {
    requireNonNull(row, "row is null");
    @SuppressWarnings("unchecked") // the class of an R
    RowType<R> type = RowType.of((Class<R>) row.getClass());
    return of(new Element(type.structure(), type.write(row)));
  }

  /** The serialized message; equal features give equal bytes. */
  public byte[] toByteArray() {
    ByteArrayOutputStream entries = new ByteArrayOutputStream();
    new TreeMap<>(features)
        .forEach((name, value) -> delimited(entries, LENGTH_DELIMITED_1, entry(name, value)));
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    delimited(message, LENGTH_DELIMITED_1, entries.toByteArray());
    return message.toByteArray();
  }

  private static byte[] entry(String name, Tensor value) {
    int list = list(name, value.dtype());
    ByteArrayOutputStream feature = new ByteArrayOutputStream();
    delimited(feature, list << 3 | 2, values(list, value));
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    write(entry, out -> out.writeString(1, name));
    delimited(entry, LENGTH_DELIMITED_2, feature.toByteArray());
    return entry.toByteArray();
  }

  private static byte[] values(int list, Tensor value) {
    ByteArrayOutputStream values = new ByteArrayOutputStream();
    if (list == BYTES_LIST) {
      for (byte[] string : value.strings()) {
        delimited(values, LENGTH_DELIMITED_1, string);
      }
    } else if (value.elements() > 0) {
      delimited(values, LENGTH_DELIMITED_1, list == FLOAT_LIST ? floats(value) : longs(value));
    }
    return values.toByteArray();
  }

  private static byte[] floats(Tensor value) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    write(
        packed,
        out -> {
          for (float each : value.floats()) {
            out.writeFloatNoTag(each);
          }
        });
    return packed.toByteArray();
  }

  private static byte[] longs(Tensor value) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    write(
        packed,
        out -> {
          for (long each : integers(value)) {
            out.writeInt64NoTag(each);
          }
        });
    return packed.toByteArray();
  }

  private static long[] integers(Tensor value) {
    long[] result = new long[value.elements()];
    if (value.dtype().kind() == ElementKind.BYTE) {
      byte[] bytes = value.bytes();
      for (int i = 0; i < result.length; i++) {
        result[i] = value.dtype() == DataType.INT8 ? bytes[i] : Byte.toUnsignedLong(bytes[i]);
      }
      return result;
    }
    if (value.dtype().kind() == ElementKind.SHORT) {
      short[] shorts = value.shorts();
      for (int i = 0; i < result.length; i++) {
        result[i] = value.dtype() == DataType.INT16 ? shorts[i] : Short.toUnsignedLong(shorts[i]);
      }
      return result;
    }
    return value.integers();
  }

  /** The kind of list that a feature of {@code dtype} is. */
  private static int list(String name, DataType dtype) {
    return switch (dtype) {
      case STRING -> BYTES_LIST;
      case FLOAT32 -> FLOAT_LIST;
      case BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64 -> INT64_LIST;
      default ->
          throw StatusException.invalidArgument(
              "feature %s of an Example can't be %s: cast it to int64, float32 or string",
              name, dtype.tfName());
    };
  }

  private static void delimited(ByteArrayOutputStream to, int tag, byte[] content) {
    write(
        to,
        out -> {
          out.writeUInt32NoTag(tag);
          out.writeByteArrayNoTag(content);
        });
  }

  private interface Content {
    void write(CodedOutputStream out) throws IOException;
  }

  private static void write(ByteArrayOutputStream to, Content content) {
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(to);
      content.write(out);
      out.flush();
    } catch (IOException e) {
      throw new AssertionError("an array takes all bytes", e);
    }
  }
}
