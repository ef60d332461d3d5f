package io.headrace.runtime.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers are those of stock TensorFlow's MatchingFiles. */
final class GlobPatternTest {
  @ParameterizedTest(name = "{0} matches {1}: {2}")
  @CsvSource({
    "*, .hid, true",
    "*, '', true",
    "'', a, false",
    "?, é, true",
    "?, '', false",
    "a**t, a.txt, true",
    "*.txt, a.txt, true",
    "*.txt, a.txtx, false",
    "a*b*c, axbxbxc, true",
    "a*b*c, axcxb, false",
    "'{a,b}', a, false",
    "'{a,b}', '{a,b}', true",
    "[!a]*, abc, false",
    "[^a]*, .hid, true",
    "[]x]*, ]a, true",
    "[!]x]*, ]a, false",
    "[a-cx], b, true",
    "[a-cx], d, false",
    "[a-], -, true",
    "[z-a]*, m, false",
    "[x, [x, true",
    "[[:alpha:]]*, x1, true",
    "[[:alpha:][:digit:]]*, 1x, true",
    "[![:alpha:]]*, x1, false",
    "[:alpha:], p, true",
    "\\{a*, '{a,b}', true",
    "a.tx\\t, a.txt, true",
    "\\[x], [x], true",
    "[\\[]x], [x], true",
    "[\\]]x, ]x, true",
    "*\\, a\\, false",
    "b\\\\c, b\\c, true"
  })
  void matches_aName_asFnmatchDoes(String pattern, String name, boolean matches) {
    assertThat(GlobPattern.of(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void matches_lineFeed_isACharacter() {
    assertThat(GlobPattern.of("x?y").matches("x\ny")).isTrue();
    assertThat(GlobPattern.isPattern("x\n*")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*", "*a", "[", "[a-b", "[[:", "[[:alpha:", "[\\]", "[[:alpha:]a-z]*", "?"})
  void matches_repeatedManyTimes_endsInTime(String part) {
    String name = "a".repeat(255);
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> assertThat(GlobPattern.of(part.repeat(300_000) + "b").matches(name)).isFalse());
  }
}
