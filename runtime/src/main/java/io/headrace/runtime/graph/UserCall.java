package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import java.util.List;

/**
 * A call of the API by a user's program, as found on this thread's stack, for messages about the
 * lambdas that the program gave to it.
 */
public final class UserCall {
  /** Enough for the methods of an API class that call one another, and their caller. */
  private static final int MOST_FRAMES = 32;

  private UserCall() {}

  /** INVALID_ARGUMENT: the function given to the innermost call of {@code api} returned null. */
  public static StatusException nullFrom(Class<?> api, String expected) {
    return StatusException.invalidArgument(
        "the function given to %s returned null; it must return %s", of(api), expected);
  }

  /**
   * The innermost call of a method of {@code api}: the method, and the caller's class, method, file
   * and line, as {@code Dataset.map at com.example.Pipeline.main(Pipeline.java:12)}.
   */
  public static String of(Class<?> api) {
    List<StackWalker.StackFrame> call = innermost(api);
    return call.isEmpty()
        ? "a method of " + api.getSimpleName()
        : "%s.%s at %s"
            .formatted(
                api.getSimpleName(),
                call.getFirst().getMethodName(),
                call.getLast().toStackTraceElement());
  }

  /**
   * The name of a function that is given to the innermost call of a method of {@code api}: {@code
   * kind}, and the place of the call, as {@code map_at_Pipeline_12} in line 12 of Pipeline.java.
   * Names of functions have letters, digits and underscores only.
   */
  public static String functionName(String kind, Class<?> api) {
    List<StackWalker.StackFrame> call = innermost(api);
    if (call.isEmpty() || call.getLast().getFileName() == null) {
      return kind;
    }
    String file = call.getLast().getFileName().replaceFirst("\\..*", "");
    return "%s_at_%s_%d"
        .formatted(kind, file.replaceAll("[^A-Za-z0-9_]", "_"), call.getLast().getLineNumber());
  }

  /** The frames of the innermost call of {@code api} and of its caller; empty without a caller. */
  private static List<StackWalker.StackFrame> innermost(Class<?> api) {
    List<StackWalker.StackFrame> frames =
        StackWalker.getInstance()
            .walk(all -> all.dropWhile(frame -> !isOf(frame, api)).limit(MOST_FRAMES).toList());
    for (int i = 1; i < frames.size(); i++) {
      if (!isOf(frames.get(i), api)) {
        return frames.subList(i - 1, i + 1);
      }
    }
    return List.of();
  }

  private static boolean isOf(StackWalker.StackFrame frame, Class<?> api) {
    return frame.getClassName().equals(api.getName());
  }
}
