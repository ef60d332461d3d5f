package io.headrace.dispatcher.statistics;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names that users know of functions whose names TensorFlow or Headrace made. */
final class FunctionNames {
  /** As in {@code __inference_Dataset_map_augment_42}. */
  private static final Pattern TRACED =
      Pattern.compile("__inference_Dataset_(?:map|filter|flat_map|interleave|scan)_(.+)_\\d+");

  /** Of a Java lambda, as in {@code __headrace_map_at_Pipeline_12_3}. */
  private static final Pattern LAMBDA = Pattern.compile("__headrace_\\w+?_at_(\\w+)_(\\d+)_\\d+");

  private FunctionNames() {}

  /**
   * The name of the Python function where TensorFlow's name has it, the file and line of a Java
   * lambda; otherwise the name itself.
   */
  static String readable(String name) {
    Matcher traced = TRACED.matcher(name);
    if (traced.matches()) {
      return traced.group(1);
    }
    Matcher lambda = LAMBDA.matcher(name);
    return lambda.matches() ? lambda.group(1) + ":" + lambda.group(2) : name;
  }
}
