package io.headrace.dispatcher.statistics;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names that users know of functions whose names TensorFlow made. */
final class FunctionNames {
  /** As in {@code __inference_Dataset_map_augment_42}. */
  private static final Pattern TRACED =
      Pattern.compile("__inference_Dataset_(?:map|filter|flat_map|interleave|scan)_(.+)_\\d+");

  private FunctionNames() {}

  /** The name of the Python function, where TensorFlow's name has it; otherwise the name itself. */
  static String readable(String name) {
    Matcher traced = TRACED.matcher(name);
    return traced.matches() ? traced.group(1) : name;
  }
}
