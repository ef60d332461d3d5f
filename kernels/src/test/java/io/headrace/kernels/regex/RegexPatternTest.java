package io.headrace.kernels.regex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RegexPatternTest {
  private final Cancellation cancellation = new Cancellation();

  private static RegexPattern compile(String pattern) {
    return RegexPattern.compile(ByteStrings.bytes(pattern));
  }

  private boolean matches(String pattern, String text) {
    return assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            compile(pattern)
                .fullMatch(Tensor.scalar(ByteStrings.bytes(text)), cancellation)
                .bool(0));
  }

  private String replaced(String pattern, String text, String rewrite) {
    Tensor input = Tensor.scalar(ByteStrings.bytes(text));
    RegexRewrite parsed = RegexRewrite.parse(ByteStrings.bytes(rewrite));
    return ByteStrings.text(compile(pattern).replace(input, parsed, true, cancellation).string(0));
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
  @ValueSource(strings = {"(", "(?:", "(?:b", "(?:b|c", "(?i:"})
  void compile_groupsNestedDeeply_areMatched(String open) {
    assertThat(matches(open.repeat(50_000) + "a" + ")*".repeat(50_000), "xa")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a?",
        "a*",
        "[ab]",
        "(a)",
        "(?:a|bc)",
        "a|",
        "\\b",
        "^",
        "\\pL",
        "(?i)[^\\pL]",
        "é",
        "(a)?"
      })
  void compile_ofAPatternBeyondTheBound_isRefused(String part) {
    assertRefused(part.repeat(1_000_000), "pattern too large - compile failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a?", "a*", "|", "^", "(?:)", "(a)?", "[ab]?"})
  void matches_largeProgram_isSimulated(String part) {
    assertThat(matches("(?:" + part.repeat(20_000) + ")b", "axb")).isFalse();
    assertThat(matches("(?:" + part.repeat(20_000) + ")b", "b")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"(?:a|aa)+", "(?:a*)*", "(?:a?){50}a{50}", "(?:.*a){20}", "(?:a|b|ab)*c?"})
  void matches_ambiguousPattern_takesLinearTime(String pattern) {
    assertThat(matches(pattern, "a".repeat(100_000) + "!")).isFalse();
  }

  /** An automaton for this has 2^20 states. */
  @Test
  void replace_moreStatesThanAreKept_areForgotten() {
    Random random = new Random(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 200_000; i++) {
      text.append(random.nextBoolean() ? 'a' : 'b');
    }
    String all = text.toString();
    String expected = Pattern.compile("a([ab])[ab]{18}c").matcher(all + "c").replaceFirst("<$1>");
    assertThat(replaced("a([ab])[ab]{18}c", all + "c", "<\\1>")).isEqualTo(expected);
  }

  @Test
  void replace_bySeveralThreads_isThatOfOne() {
    RegexPattern pattern = compile("(\\w+)@(\\w+)\\.com");
    RegexRewrite rewrite = RegexRewrite.parse(ByteStrings.bytes("\\2 at \\1"));
    List<String> replaced =
        IntStream.range(0, 64)
            .parallel()
            .mapToObj(i -> {
              Tensor text =
                  Tensor.scalar(ByteStrings.bytes("x".repeat(i) + "@é y@host" + i + ".com"));
              return ByteStrings.text(pattern.replace(text, rewrite, true, cancellation).string(0));
            })
            .toList();
    assertThat(replaced)
        .containsExactlyElementsOf(
            IntStream.range(0, 64).mapToObj(i -> "x".repeat(i) + "@é host" + i + " at y").toList());
  }

  /** Stock says the same, but its client cannot read it. */
  @ParameterizedTest
  @ValueSource(strings = {"?", "[?]", "\\Q?", "(?P<?>a)", "(??)", "\\?", "\\x{?}", "\\p{?}"})
  void compile_ofMalformedUtf8_isRefused(String pattern) {
    byte[] bytes = ByteStrings.bytes(pattern);
    bytes[pattern.lastIndexOf('?')] = (byte) 0xFF;
    assertThatThrownBy(() -> RegexPattern.compile(bytes))
        .hasMessageEndingWith("error: invalid UTF-8");
  }

  @Test
  void replace_manyGroups_refersToTheFirstNine() {
    assertThat(replaced("(.)".repeat(12), "abcdefghijkl", "\\9\\1\\0")).isEqualTo("iaabcdefghijkl");
    assertThat(replaced("(a)?".repeat(2000) + "(?P<x>b)", "ab", "\\1")).isEqualTo("a");
  }

  @Test
  void compile_nameOfTwoGroups_isAccepted() {
    assertThat(replaced("(?P<x>a)(?P<x>b)", "ab", "\\2\\1")).isEqualTo("ba");
  }

  @Test
  void compile_ofALongInvalidPattern_isShownShortened() {
    assertThatThrownBy(() -> compile("a".repeat(5000) + "("))
        .hasMessage("Invalid pattern: %s..., error: missing ): %<s...", "a".repeat(1000));
  }

  @Test
  void fullMatch_cancelled_ends() {
    RegexPattern pattern = compile("a");
    cancellation.cancel();

    assertThatThrownBy(() -> pattern.fullMatch(Tensor.scalar(ByteStrings.bytes("a")), cancellation))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }
}
