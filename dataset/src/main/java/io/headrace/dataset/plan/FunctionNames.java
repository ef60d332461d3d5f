package io.headrace.dataset.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names that users know of functions whose names TensorFlow or Headrace made. */
public final class FunctionNames {
  /** As in {@code __inference_Dataset_map_augment_42}. */
  private static final Pattern TRACED =
      Pattern.compile("__inference_Dataset_(?:map|filter|flat_map|interleave|scan)_(.+)_\\d+");

  /** Of a Java lambda, as in {@code __headrace_map_at_Pipeline_12_3}. */
  private static final Pattern LAMBDA = Pattern.compile("__headrace_\\w+?_at_(\\w+)_(\\d+)_\\d+");

  /** TensorFlow's name of a class that is called as a function, whichever class it is. */
  private static final String CLASS = "classabc.ABCMeta";

  /** A name in a text. */
  private static final Pattern NAME = Pattern.compile("\\b__(?:inference|headrace)_\\w+");

  private FunctionNames() {}

  /**
   * The name of the Python function where TensorFlow's name has it, the file and line of a Java
   * lambda; empty for a class of Python's; otherwise the name itself.
   */
  public static String readable(String name) {
    Matcher traced = TRACED.matcher(name);
    if (traced.matches()) {
      return traced.group(1).equals(CLASS) ? "" : traced.group(1);
    }
    Matcher lambda = LAMBDA.matcher(name);
    return lambda.matches() ? lambda.group(1) + ":" + lambda.group(2) : name;
  }

  /** {@code text} with each name in it {@linkplain #readable readable}. */
  public static String readableIn(String text) {
    return NAME.matcher(text).replaceAll(name -> Matcher.quoteReplacement(readable(name.group())));
  }
}
