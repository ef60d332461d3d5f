package io.headrace.kernels.regex;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * A compiled regular expression in RE2's syntax. Thread-safe: threads share its automata, each of
 * which holds a bounded number of states.
 */
final class RegexPattern {
  private static final int MAX_SHOWN = 1000;

  private final RegexProgram program;
  private final boolean usesAutomata;
  private volatile @Nullable ForwardAutomaton forward;
  private volatile @Nullable ForwardAutomaton whole;
  private volatile @Nullable BackwardAutomaton backward;
  private volatile @Nullable StartSkip skip;

  private RegexPattern(RegexProgram program) {
    this.program = program;
    this.usesAutomata = LazyAutomaton.fits(program);
  }

  /** Compiles {@code bytes}; INVALID_ARGUMENT, as RE2 says it, if malformed or too large. */
  static RegexPattern compile(byte[] bytes) {
    try {
      return new RegexPattern(RegexCompiler.compile(RegexParser.parse(bytes)));
    } catch (RegexProgramBuilder.TooLargeException e) {
      String text = ByteStrings.text(bytes);
      String shown = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT,
          "Invalid pattern: " + shown + ", error: pattern too large - compile failed",
          e);
    }
  }

  /** Whether each string of {@code input} matches as a whole. */
  Tensor fullMatch(Tensor input, Cancellation cancellation) {
    byte[] result = (byte[]) TensorLimit.allocate(DataType.BOOL, input.shape());
    RegexMatcher matcher = new RegexMatcher(this, 0, cancellation);
    for (int i = 0; i < result.length; i++) {
      cancellation.check();
      result[i] = (byte) (matcher.matches(input.string(i)) ? 1 : 0);
    }
    return Tensor.wrap(DataType.BOOL, input.shape(), result);
  }

  /** Replaces the first match in each string of {@code input}, or all if {@code global}. */
  Tensor replace(Tensor input, RegexRewrite rewrite, boolean global, Cancellation cancellation) {
    if (!rewrite.applies(groups(), global)) {
      return input;
    }
    RegexMatcher matcher = new RegexMatcher(this, rewrite.maxGroup(), cancellation);
    return ByteStrings.map(
        input,
        text -> {
          cancellation.check();
          return rewrite.replace(matcher, text, global);
        });
  }

  RegexProgram program() {
    return program;
  }

  int groups() {
    return program.groups();
  }

  /** Whether the program is small enough for automata. */
  boolean usesAutomata() {
    return usesAutomata;
  }

  /** Finds where the preferred match ends. */
  ForwardAutomaton forward() {
    ForwardAutomaton made = forward;
    return made != null ? made : makeForward();
  }

  private synchronized ForwardAutomaton makeForward() {
    if (forward == null) {
      forward = new ForwardAutomaton(program, ForwardAutomaton.Preference.FIRST);
    }
    return forward;
  }

  /** Tells whether a whole text matches. */
  ForwardAutomaton whole() {
    ForwardAutomaton made = whole;
    return made != null ? made : makeWhole();
  }

  private synchronized ForwardAutomaton makeWhole() {
    if (whole == null) {
      whole = new ForwardAutomaton(program, ForwardAutomaton.Preference.ANY);
    }
    return whole;
  }

  /** Finds where a match begins. */
  BackwardAutomaton backward() {
    BackwardAutomaton made = backward;
    return made != null ? made : makeBackward();
  }

  private synchronized BackwardAutomaton makeBackward() {
    if (backward == null) {
      backward = new BackwardAutomaton(program);
    }
    return backward;
  }

  /** Skips what no match begins with. */
  StartSkip skip() {
    StartSkip made = skip;
    return made != null ? made : makeSkip();
  }

  private synchronized StartSkip makeSkip() {
    if (skip == null) {
      skip = StartSkip.of(forward());
    }
    return skip;
  }
}
