package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OracleTest tests the syntax on the cases of StringToNumber. */
final class NumberParserTest {
  @ParameterizedTest(name = "{0}, many {1}, {2}")
  @CsvSource({"'', 1, x", "1., 1, x", "., 1, x", "0x, a, z", "1e, 1, x"})
  void parseDouble_ofALongTextThatIsNoNumber_takesTimeLinearInIt(
      String begin, String middle, String end) {
    byte[] text = Strings.bytes(begin + middle.repeat(500_000) + end);
    assertTimeoutPreemptively(
        Duration.ofMinutes(1), () -> assertThat(NumberParser.parseDouble(text)).isEmpty());
  }
}
