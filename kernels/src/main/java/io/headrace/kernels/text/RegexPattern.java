package io.headrace.kernels.text;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * A compiled regular expression in RE2's syntax, of bounded size. RE2/J recurses over its program,
 * both to compile it and to match: a large one has a thread with a stack of its size. Immutable.
 */
final class RegexPattern {
  /** Programs up to this size fit on the stack of the caller. */
  private static final int SMALL_INSTRUCTIONS = 500;

  /** The stack for one instruction: a few frames. */
  private static final long STACK_BYTES = 1024;

  private final Pattern pattern;
  private final int instructions;

  private RegexPattern(Pattern pattern, int instructions) {
    this.pattern = pattern;
    this.instructions = instructions;
  }

  /** Compiles {@code bytes}; INVALID_ARGUMENT, as RE2 says it, if malformed or too large. */
  static RegexPattern compile(byte[] bytes) {
    String text = Strings.text(bytes);
    RegexScan.Measured measured = RegexScan.measure(text);
    int instructions = measured.instructions();
    return onStackFor(
        instructions, () -> new RegexPattern(compile(text, measured.text()), instructions));
  }

  private static Pattern compile(String text, String measured) {
    try {
      return Pattern.compile(measured);
    } catch (PatternSyntaxException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, RegexScan.invalid(text, e.getDescription()).message(), e);
    }
  }

  /** Whether each string of {@code input} matches as a whole. */
  Tensor fullMatch(Tensor input, Cancellation cancellation) {
    return onStackFor(
        instructions,
        () -> {
          byte[] result = (byte[]) TensorLimit.allocate(DataType.BOOL, input.shape());
          Matcher matcher = pattern.matcher(Strings.EMPTY);
          for (int i = 0; i < result.length; i++) {
            cancellation.check();
            result[i] = (byte) (matcher.reset(input.string(i)).matches() ? 1 : 0);
          }
          return Tensor.of(DataType.BOOL, input.shape(), result);
        });
  }

  /** Replaces the first match in each string of {@code input}, or all if {@code global}. */
  Tensor replace(Tensor input, RegexRewrite rewrite, boolean global, Cancellation cancellation) {
    return onStackFor(
        instructions,
        () -> {
          Matcher matcher = pattern.matcher(Strings.EMPTY);
          return Strings.map(
              input,
              text -> {
                cancellation.check();
                return rewrite.replace(matcher, text, global);
              });
        });
  }

  private static <T> T onStackFor(int instructions, Supplier<T> work) {
    if (instructions <= SMALL_INSTRUCTIONS) {
      return work.get();
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    Runnable run =
        () -> {
          try {
            result.complete(work.get());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        };
    Thread thread = new Thread(null, run, "regex", (1L << 20) + STACK_BYTES * instructions);
    thread.setDaemon(true);
    thread.start();
    try {
      return result.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw e;
      }
    }
  }
}
