package io.headrace.cli.web;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;

/**
 * A request to read something.
 *
 * @param words the segments of the path that the route leaves open, decoded
 * @param query the parameters behind the question mark, decoded; of several of a name, the last
 * @param accept the media types that the client takes; empty if it does not say
 */
public record WebRequest(List<String> words, Map<String, String> query, String accept) {
  /**
   * A parameter that is a number of 0 or more.
   *
   * @throws StatusException INVALID_ARGUMENT if it is something else
   */
  long number(String name, long otherwise) {
    String text = query.getOrDefault(name, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    if (!text.matches("\\d{1,18}")) {
      throw StatusException.invalidArgument("%s must be a number, not \"%s\"", name, text);
    }
    return Long.parseLong(text);
  }
}
