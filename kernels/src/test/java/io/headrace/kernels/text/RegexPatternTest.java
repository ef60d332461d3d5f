package io.headrace.kernels.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RegexPatternTest {
  private final Cancellation cancellation = new Cancellation();

  private static RegexPattern compile(String pattern) {
    return RegexPattern.compile(Strings.bytes(pattern));
  }

  private boolean matches(String pattern, String text) {
    return assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> compile(pattern).fullMatch(Tensor.scalar(Strings.bytes(text)), cancellation).bool(0));
  }

  private String replaced(String pattern, String text, String rewrite) {
    Tensor input = Tensor.scalar(Strings.bytes(text));
    RegexRewrite parsed = RegexRewrite.parse(Strings.bytes(rewrite));
    return Strings.text(compile(pattern).replace(input, parsed, true, cancellation).string(0));
  }

  private static void assertRefused(String pattern, String error) {
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            assertThatThrownBy(() -> compile(pattern))
                .hasMessageStartingWith("Invalid pattern: ")
                .hasMessageContaining(", error: " + error)
                .extracting(StatusException::codeOf)
                .isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  /** These are TensorFlow's messages. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ' ',
      value = {
        "((a{100}){100}){100} {100}",
        "a{1001} {1001}",
        "a{0,1001}? {0,1001}?",
        "(a{10}){101} {101}",
        "((?:a{1000})*){2} {2}",
        "x{2,1} {2,1}",
        "((){1000}){1000} {1000}"
      })
  void compile_repetitionsOfMoreThanAThousand_areRefusedAsByRe2(String pattern, String size) {
    assertRefused(pattern, "invalid repetition size: " + size);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(a{10}){100}", "a{1000}", "(?:a{1000}){1}", "(a{0}){1000}", "\\Qa{2000}\\E", "[{]2000}",
        "[[:alpha:](]{1000}", "[]({]{1000}", "[^](]{1000}", "a{,2000}", "\\({1000}", "(?i)a{1000}",
        "(?i-s:a){1000}", "\\x{61}{1000}", "\\p{Greek}{1000}", "a{1,2}{", "(?P<x>a){1000}"
      })
  void compile_ofWhatRe2Accepts_succeeds(String pattern) {
    assertThat(compile(pattern)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "(?:", "(?:b|c", "(?i:", "(?P<"})
  void compile_groupsNestedTooDeeply_areRefused(String open) {
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      pattern.append(open).append(open.endsWith("<") ? "n" + i + ">" : "");
    }
    assertRefused(
        pattern + "a" + ")*".repeat(10_000),
        open.endsWith("<") ? "" : "expression nests too deeply: more than 1000 groups");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "(?:b", "(?:b|c"})
  void compile_groupsNestedToTheBound_areMatched(String open) {
    assertThat(matches(open.repeat(1000) + "a" + ")*".repeat(1000), "xa")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a?",
        "a*",
        "[ab]",
        "(a)",
        "()",
        "(?:a|bc)",
        "a|",
        "\\b",
        "^",
        "\\pL",
        "é",
        "a{0,9}",
        "(?:a{0,1000})",
        "(a)?",
        "(?:|a)"
      })
  void compile_ofALongPattern_isRefusedAndOfAShorterOneMatches(String part) {
    assertRefused(part.repeat(1_000_000), "pattern too large - compile failed");
    boolean isLong = part.length() > 10;
    assertThat(matches(part.repeat(isLong ? 8 : part.length() > 5 ? 800 : 400), "x")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a?", "a*", "|", "^", "(?:)", "(a)?"})
  void matches_programAsDeepAsTheBound_doesNotOverflowTheStack(String part) {
    assertThat(matches(part.repeat(16_000 / (part.length() + 1)) + "b", "ax")).isFalse();
  }

  @Test
  void replace_manyGroups_refersToTheFirstNine() {
    assertThat(replaced("(.)".repeat(12), "abcdefghijkl", "\\9\\1\\0")).isEqualTo("iaabcdefghijkl");
    assertThat(replaced("(a)?".repeat(2000) + "(?P<x>b)", "ab", "\\1")).isEqualTo("a");
  }

  @Test
  void compile_nameOfTwoGroups_isRefused() {
    assertRefused("(?P<x>a)(?P<x>b)", "invalid named capture group: (?P<x>");
  }

  @Test
  void compile_ofALongInvalidPattern_isShownShortened() {
    assertThatThrownBy(() -> compile("a".repeat(5000) + "("))
        .hasMessage("Invalid pattern: %s..., error: missing closing )", "a".repeat(1000));
  }

  @Test
  void fullMatch_cancelled_ends() {
    RegexPattern pattern = compile("a");
    cancellation.cancel();

    assertThatThrownBy(() -> pattern.fullMatch(Tensor.scalar(Strings.bytes("a")), cancellation))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }
}
