package io.headrace.cli.text;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Base64;
import java.util.List;

/**
 * Protobuf messages as JSON: every field by its name in the .proto file, numbers as numbers, enums
 * by name. A field that is optional there is left out while it is unset; others have their default
 * values. Bytes are in base64. For messages of strings, numbers, booleans, bytes, enums and
 * messages of these.
 */
public final class ProtoJson {
  private static final Gson LINE = new Gson();
  private static final Gson INDENTED = new GsonBuilder().setPrettyPrinting().create();

  private ProtoJson() {}

  /** The message on one line. */
  public static String line(Message message) {
    return LINE.toJson(object(message));
  }

  /** The message on several lines. */
  public static String indented(Message message) {
    return INDENTED.toJson(object(message));
  }

  /** The message as an object. */
  public static JsonObject object(Message message) {
    JsonObject object = new JsonObject();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        JsonArray array = new JsonArray();
        ((List<?>) message.getField(field)).forEach(value -> array.add(value(value)));
        object.add(field.getName(), array);
      } else if (!field.hasPresence() || message.hasField(field)) {
        object.add(field.getName(), value(message.getField(field)));
      }
    }
    return object;
  }

  private static JsonElement value(Object value) {
    return switch (value) {
      case Message message -> object(message);
      case EnumValueDescriptor constant -> new JsonPrimitive(constant.getName());
      case Number number -> new JsonPrimitive(number);
      case Boolean flag -> new JsonPrimitive(flag);
      case ByteString bytes ->
          new JsonPrimitive(Base64.getEncoder().encodeToString(bytes.toByteArray()));
      default -> new JsonPrimitive(value.toString());
    };
  }
}
