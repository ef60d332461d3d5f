package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OracleTest tests the syntax on the cases of StringToNumber. */
final class NumberParserTest {
  @ParameterizedTest(name = "{0}, many {1}, {2}")
  @CsvSource({"'', 1, x", "1., 1, x", "., 1, x", "0x, a, z", "1e, 1, x"})
  void parseDouble_ofALongTextThatIsNoNumber_takesTimeLinearInIt(
      String begin, String middle, String end) {
    byte[] text = ByteStrings.bytes(begin + middle.repeat(500_000) + end);
    assertTimeoutPreemptively(
        Duration.ofMinutes(1), () -> assertThat(NumberParser.parseDouble(text)).isEmpty());
  }

  /** Numbers of few digits are parsed in another way than others. */
  @Test
  void parse_ofRandomNumbers_isJavas() {
    RandomGenerator random = new SplittableRandom(7);
    for (int i = 0; i < 100_000; i++) {
      String number = number(random);
      byte[] text = ByteStrings.bytes(number);
      assertThat(NumberParser.parseDouble(text)).hasValue(Double.parseDouble(number));
      assertThat(NumberParser.parseFloat(text)).hasValue(Float.parseFloat(number));
    }
  }

  private static String number(RandomGenerator random) {
    String sign = new String[] {"", "-", "+"}[random.nextInt(3)];
    long digits = random.nextLong(1L << random.nextInt(1, 63));
    if (random.nextInt(4) == 0) {
      // Halfway between two floats, or nearly.
      digits = (random.nextLong(1 << 23, 1 << 24) * 2 + 1) * 100 + random.nextInt(-1, 2);
    }
    String text = Long.toString(digits);
    int point = random.nextInt(text.length() + 1);
    return sign
        + switch (random.nextInt(4)) {
          case 0 -> text;
          case 1 -> text.substring(0, point) + "." + text.substring(point);
          case 2 -> text.substring(0, point) + "0." + text.substring(point);
          default -> text + "e" + random.nextInt(-30, 30);
        };
  }

  @Test
  void parse_ofAPointAlone_isEmpty() {
    assertThat(NumberParser.parseDouble(ByteStrings.bytes("-."))).isEmpty();
    assertThat(NumberParser.parseFloat(ByteStrings.bytes(" "))).isEmpty();
  }

  @Test
  void parse_ofMinusZero_keepsItsSign() {
    assertThat(NumberParser.parseDouble(ByteStrings.bytes("-0.00"))).hasValue(-0.0);
    assertThat(NumberParser.parseFloat(ByteStrings.bytes(" -0 "))).hasValue(-0.0);
  }
}
