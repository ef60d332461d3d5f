package io.headrace.dataset.execute.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.CharArrayReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads fields of JSON records (RFC 8259, strictly, in UTF-8). Other fields are passed over; of
 * several with the same name the last one counts. Immutable and thread-safe.
 */
final class JsonFields {
  /** The length to which messages cut a record. */
  private static final int SHOWN = 100;

  private static final Pattern PLACE = Pattern.compile("line \\d+ column \\d+ path \\S+");

  /**
   * A field.
   *
   * @param path its path, for messages
   * @param steps the names of the objects on the way to it, and its own
   * @param dtype the dtype of its tensor
   * @param list whether it is an array, and its tensor a vector
   */
  record Field(String path, List<String> steps, DataType dtype, boolean list) {}

  /** A name of an object: a field, or an object with fields, or both. */
  private static final class Name {
    private final Map<String, Name> inner = new HashMap<>();
    private OptionalInt field = OptionalInt.empty();
  }

  private final List<Field> fields;
  private final Name root;

  private JsonFields(List<Field> fields, Name root) {
    this.fields = fields;
    this.root = root;
  }

  /**
   * Fields by their paths.
   *
   * @throws StatusException INVALID_ARGUMENT if a field is within another, or the same
   */
  static JsonFields of(List<Field> fields) {
    Name root = new Name();
    for (int i = 0; i < fields.size(); i++) {
      Name at = root;
      for (String step : fields.get(i).steps()) {
        at = at.inner.computeIfAbsent(step, _ -> new Name());
      }
      if (at.field.isPresent()) {
        throw StatusException.invalidArgument("two fields have the path %s", fields.get(i).path());
      }
      at.field = OptionalInt.of(i);
    }
    for (Field field : fields) {
      Name at = root;
      for (String step : field.steps()) {
        if (at.field.isPresent()) {
          throw StatusException.invalidArgument(
              "the field %s is within the field %s",
              field.path(), fields.get(at.field.getAsInt()).path());
        }
        at = Objects.requireNonNull(at.inner.get(step));
      }
    }
    return new JsonFields(List.copyOf(fields), root);
  }

  /**
   * The values of the fields; null for those that are missing or null.
   *
   * @throws StatusException INVALID_ARGUMENT if the record is malformed, or a field has another
   *     type, naming it
   */
  @Nullable Tensor[] read(byte[] record) {
    @Nullable Tensor[] values = new Tensor[fields.size()];
    try (JsonReader reader = open(record)) {
      if (reader.peek() != JsonToken.BEGIN_OBJECT) {
        throw StatusException.invalidArgument("it must be an object");
      }
      readObject(reader, root, values);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw StatusException.invalidArgument("there is more behind its object");
      }
      return values;
    } catch (IOException | IllegalStateException e) {
      throw StatusException.invalidArgument(
          "the record is no JSON, or ends too early%s: %s", place(e), shown(record));
    } catch (StatusException e) {
      throw StatusException.invalidArgument(
          "the JSON record can't be read: %s: %s", e.message(), shown(record));
    }
  }

  /** INVALID_ARGUMENT: {@code record} has no field {@code index}. */
  StatusException missing(int index, byte[] record) {
    return StatusException.invalidArgument(
        "the JSON record has no field %s: %s", fields.get(index).path(), shown(record));
  }

  private static JsonReader open(byte[] record) {
    try {
      CharBuffer text = UTF_8.newDecoder().decode(ByteBuffer.wrap(record));
      JsonReader reader =
          new JsonReader(
              new CharArrayReader(
                  text.array(), text.arrayOffset() + text.position(), text.remaining()));
      reader.setStrictness(Strictness.STRICT);
      return reader;
    } catch (CharacterCodingException e) {
      throw new StatusException(StatusCode.INVALID_ARGUMENT, "it is not in UTF-8", e);
    }
  }

  private void readObject(JsonReader reader, Name object, @Nullable Tensor[] values)
      throws IOException {
    reader.beginObject();
    while (reader.hasNext()) {
      Name name = object.inner.get(reader.nextName());
      if (name == null) {
        reader.skipValue();
      } else if (name.field.isPresent()) {
        int index = name.field.getAsInt();
        values[index] = readField(reader, fields.get(index));
      } else if (reader.peek() == JsonToken.BEGIN_OBJECT) {
        readObject(reader, name, values);
      } else {
        // The objects on the way are not there, and so the fields within are missing.
        reader.skipValue();
      }
    }
    reader.endObject();
  }

  private static @Nullable Tensor readField(JsonReader reader, Field field) throws IOException {
    if (reader.peek() == JsonToken.NULL) {
      reader.nextNull();
      return null;
    }
    List<Object> values = new ArrayList<>();
    if (field.list()) {
      if (reader.peek() != JsonToken.BEGIN_ARRAY) {
        throw wrong(field, "an array", reader);
      }
      reader.beginArray();
      while (reader.hasNext()) {
        values.add(JsonScalars.read(reader, field));
      }
      reader.endArray();
    } else {
      values.add(JsonScalars.read(reader, field));
    }
    return JsonScalars.tensor(field, values);
  }

  /** INVALID_ARGUMENT: the next value of {@code reader} is not {@code expected}. */
  static StatusException wrong(Field field, String expected, JsonReader reader) throws IOException {
    JsonToken token = reader.peek();
    String found =
        switch (token) {
          case STRING -> "the string \"" + reader.nextString() + "\"";
          case NUMBER -> reader.nextString();
          case BOOLEAN -> String.valueOf(reader.nextBoolean());
          case NULL -> "null";
          case BEGIN_ARRAY -> "an array";
          case BEGIN_OBJECT -> "an object";
          case END_ARRAY, END_OBJECT, NAME, END_DOCUMENT -> "missing";
        };
    return StatusException.invalidArgument(
        "field %s must be %s, and is %s", field.path(), expected, found);
  }

  /** The place in the record that the parser names: {@code (line 1 column 3 path $.x)}. */
  private static String place(Exception e) {
    Matcher place = PLACE.matcher(String.valueOf(e.getMessage()));
    return place.find() ? " (" + place.group() + ")" : "";
  }

  private static String shown(byte[] record) {
    String text = new String(record, UTF_8);
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
