package io.headrace.dataset.execute.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;

/** Reads JSON numbers, strings and truth values as elements of a dtype. */
final class JsonScalars {
  private JsonScalars() {}

  /**
   * The next value of {@code reader}, for {@code field}.
   *
   * @throws StatusException INVALID_ARGUMENT if it is of another type, or no number of the dtype
   */
  static Object read(JsonReader reader, JsonFields.Field field) throws IOException {
    return switch (field.dtype()) {
      case STRING -> {
        check(reader, JsonToken.STRING, field, "a string");
        yield reader.nextString().getBytes(UTF_8);
      }
      case BOOL -> {
        check(reader, JsonToken.BOOLEAN, field, "true or false");
        yield reader.nextBoolean();
      }
      default -> {
        check(reader, JsonToken.NUMBER, field, "a number");
        yield number(reader.nextString(), field);
      }
    };
  }

  private static void check(
      JsonReader reader, JsonToken expected, JsonFields.Field field, String name)
      throws IOException {
    if (reader.peek() != expected) {
      throw JsonFields.wrong(field, name, reader);
    }
  }

  private static Number number(String text, JsonFields.Field field) {
    try {
      return switch (field.dtype()) {
        case INT32 -> Integer.valueOf(Math.toIntExact(whole(text)));
        case INT64 -> Long.valueOf(whole(text));
        case FLOAT32 -> Float.valueOf(text);
        default -> Double.valueOf(text);
      };
    } catch (ArithmeticException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "field %s must be a number of %s, and is %s"
              .formatted(field.path(), field.dtype().tfName(), text),
          e);
    }
  }

  /** The whole number in {@code text}; also of forms like 1e3 and 2.0. */
  private static long whole(String text) {
    // Longs have at most 19 digits, so that a large exponent is refused before it is expanded.
    BigDecimal value = new BigDecimal(text);
    if (value.precision() - (long) value.scale() > 19) {
      throw new ArithmeticException("too large");
    }
    return value.longValueExact();
  }

  /** The tensor of {@code values}: a vector, or, of a field that is no list, a scalar. */
  static Tensor tensor(JsonFields.Field field, List<Object> values) {
    DataType dtype = field.dtype();
    Object array = dtype.kind().newArray(values.size());
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      switch (array) {
        case int[] ints -> ints[i] = (Integer) value;
        case long[] longs -> longs[i] = (Long) value;
        case float[] floats -> floats[i] = (Float) value;
        case double[] doubles -> doubles[i] = (Double) value;
        case byte[] bytes -> bytes[i] = (byte) ((Boolean) value ? 1 : 0);
        case byte[][] strings -> strings[i] = (byte[]) value;
        default -> throw new AssertionError(dtype);
      }
    }
    return Tensor.wrap(dtype, field.list() ? Shape.of(values.size()) : Shape.SCALAR, array);
  }
}
