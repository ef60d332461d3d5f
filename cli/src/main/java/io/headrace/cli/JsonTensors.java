package io.headrace.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorValueText;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Converts tensors from and to JSON, in TensorFlow Serving's format: nested arrays of numbers,
 * booleans and strings. Bytes that are not UTF-8 are {@code {"b64": ...}}, complex numbers {@code
 * [real, imaginary]}, and floats without a JSON number the strings {@code "NaN"}, {@code
 * "Infinity"} and {@code "-Infinity"}.
 */
final class JsonTensors {
  private JsonTensors() {}

  /**
   * The tensor in {@code text}.
   *
   * @param dtype its dtype; if unknown, int32, float, bool or string, depending on the first value
   * @param source the tensor's name in messages
   * @throws StatusException INVALID_ARGUMENT if {@code text} is not JSON, its rows differ in
   *     length, or a value does not fit the dtype
   */
  static Tensor read(String text, Optional<DataType> dtype, String source) {
    JsonElement json = parse(text, source);
    List<Long> dimensions = new ArrayList<>();
    JsonElement first = json;
    while (first.isJsonArray()) {
      JsonArray array = first.getAsJsonArray();
      dimensions.add((long) array.size());
      if (array.isEmpty()) {
        break;
      }
      first = array.get(0);
    }
    DataType type = dtype.orElse(inferredType(first));
    boolean isComplex = type == DataType.COMPLEX64 || type == DataType.COMPLEX128;
    if (isComplex && !dimensions.isEmpty()) {
      var _ = dimensions.removeLast(); // real and imaginary part
    }
    Shape shape = Shape.of(dimensions.stream().mapToLong(Long::longValue).toArray());
    Object array = TensorLimit.allocate(type, shape);
    try {
      var _ = fill(json, 0, shape, new JsonValues(type, array), 0);
    } catch (IllegalArgumentException | ArithmeticException | IllegalStateException e) {
      throw StatusException.invalidArgument(
          "%s: not a %s: %s", source, type.tfName(), String.valueOf(e.getMessage()));
    }
    return Tensor.wrap(type, shape, array);
  }

  private static JsonElement parse(String text, String source) {
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement json = JsonParser.parseReader(reader);
      if (reader.peek() == JsonToken.END_DOCUMENT) {
        return json;
      }
    } catch (IOException | JsonParseException _) {
      // reported below
    }
    throw StatusException.invalidArgument(
        "%s: %s is not JSON; text is written \"like this\", a file @FILE.npy", source, text);
  }

  private static DataType inferredType(JsonElement value) {
    if (!value.isJsonPrimitive()) {
      return value.isJsonObject() ? DataType.STRING : DataType.FLOAT32;
    }
    JsonPrimitive primitive = value.getAsJsonPrimitive();
    if (primitive.isBoolean()) {
      return DataType.BOOL;
    }
    if (primitive.isString()) {
      return DataType.STRING;
    }
    return primitive.getAsString().matches("-?\\d+") ? DataType.INT32 : DataType.FLOAT32;
  }

  /** Sets the values of {@code json} from index {@code at} on; returns the next index. */
  private static int fill(JsonElement json, int dim, Shape shape, JsonValues values, int at) {
    if (dim == shape.rank()) {
      values.set(at, json);
      return at + 1;
    }
    if (!json.isJsonArray() || json.getAsJsonArray().size() != shape.size(dim)) {
      throw new IllegalArgumentException("its rows are not all of one length");
    }
    int next = at;
    for (JsonElement row : json.getAsJsonArray()) {
      next = fill(row, dim + 1, shape, values, next);
    }
    return next;
  }

  /** A JSON object of the dtype, shape and values of {@code tensor}. */
  static JsonObject write(Tensor tensor) {
    JsonObject json = new JsonObject();
    json.addProperty("dtype", tensor.dtype().tfName());
    JsonArray shape = new JsonArray();
    for (int i = 0; i < tensor.shape().rank(); i++) {
      shape.add(tensor.shape().size(i));
    }
    json.add("shape", shape);
    json.add("value", values(tensor, 0, 0));
    return json;
  }

  private static JsonElement values(Tensor tensor, int dim, int first) {
    Shape shape = tensor.shape();
    if (dim == shape.rank()) {
      return value(tensor, first);
    }
    int stride = shape.dropFirst(dim + 1).elements();
    JsonArray rows = new JsonArray();
    for (int i = 0; i < shape.size(dim); i++) {
      rows.add(values(tensor, dim + 1, first + i * stride));
    }
    return rows;
  }

  private static JsonElement value(Tensor tensor, int index) {
    return switch (tensor.dtype().kind()) {
      case BYTES -> JsonValues.ofBytes(tensor.string(index));
      case REFERENCE -> new JsonPrimitive(TensorValueText.text(tensor, index));
      case FLOAT_PAIR, DOUBLE_PAIR -> {
        double[] parts = TensorValueText.complex(tensor, index);
        JsonArray pair = new JsonArray();
        pair.add(JsonValues.ofNumber(String.valueOf(parts[0])));
        pair.add(JsonValues.ofNumber(String.valueOf(parts[1])));
        yield pair;
      }
      case BYTE, SHORT, INT, LONG, FLOAT, DOUBLE -> {
        String text = TensorValueText.text(tensor, index);
        if (tensor.dtype() == DataType.BOOL) {
          yield new JsonPrimitive(tensor.bool(index));
        }
        yield tensor.dtype().isFloating() || tensor.dtype().isFloat8()
            ? JsonValues.ofNumber(text)
            : new JsonPrimitive(new BigInteger(text));
      }
    };
  }
}
