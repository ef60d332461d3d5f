package io.headrace.cli.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.protobuf.Message;
import io.headrace.cli.text.ProtoJson;

/**
 * The answer to a request. The bytes are not copied; nobody changes them.
 *
 * @param status the HTTP status
 * @param type the media type
 * @param body the bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Answer(int status, String type, byte[] body) {
  private static final int OK = 200;
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** A success. */
  public static Answer ok(String type, byte[] body) {
    return new Answer(OK, type, body);
  }

  /** A message as JSON. */
  public static Answer json(Message message) {
    return json(ProtoJson.object(message));
  }

  /** JSON. */
  public static Answer json(JsonElement json) {
    return ok(JSON, json.toString().getBytes(UTF_8));
  }

  /** A failure, in one sentence. */
  static Answer failure(int status, String reason) {
    return new Answer(status, TEXT, (reason + "\n").getBytes(UTF_8));
  }

  /** A line of text. */
  static Answer text(String line) {
    return ok(TEXT, (line + "\n").getBytes(UTF_8));
  }
}
