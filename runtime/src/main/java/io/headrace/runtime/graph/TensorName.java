package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;

/**
 * The name of a tensor in a graph: {@code node:output}, or {@code node} for its first output.
 *
 * @param node the node's name
 * @param output the output's index
 */
public record TensorName(String node, int output) {
  private static final int MAX_DIGITS = 9;

  /** Parses {@code text}; INVALID_ARGUMENT if the text after its colon is no index. */
  public static TensorName parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      return new TensorName(text, 0);
    }
    String digits = text.substring(colon + 1);
    if (digits.isEmpty()
        || digits.length() > MAX_DIGITS
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw StatusException.invalidArgument("%s names no output of a node", text);
    }
    return new TensorName(text.substring(0, colon), Integer.parseInt(digits));
  }

  @Override
  public String toString() {
    return node + ":" + output;
  }
}
