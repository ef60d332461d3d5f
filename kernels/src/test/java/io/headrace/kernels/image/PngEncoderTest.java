package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.tensor.DataType;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@link PngDecoder} decodes the files of {@link PngEncoder}. OracleTest tests the decoder on
 * recorded files.
 */
final class PngEncoderTest {
  @ParameterizedTest(name = "{0} by {1}, {2} channels, {3} bytes, level {4}")
  @CsvSource({
    "1, 1, 1, 1, -1",
    "1, 9, 3, 1, -1",
    "9, 1, 3, 1, -1",
    "9, 13, 1, 1, -1",
    "9, 13, 2, 1, 0",
    "9, 13, 3, 1, 1",
    "9, 13, 4, 1, 9",
    "9, 13, 1, 2, -1",
    "9, 13, 2, 2, 0",
    "9, 13, 3, 2, 5",
    "9, 13, 4, 2, 9",
    "150, 200, 3, 1, 0",
    "150, 200, 4, 2, 6"
  })
  void encode_ofAnyImage_isDecodedToItsPixels(
      int height, int width, int channels, int bytes, int level) {
    int size = height * width * channels;
    Object samples = bytes == 1 ? bytes(size) : shorts(size);
    Object withOthers = DataType.ofName(bytes == 1 ? "uint8" : "uint16").kind().newArray(size + 3);
    System.arraycopy(samples, 0, withOthers, 3, size);

    byte[] file = new PngEncoder(height, width, channels, bytes).encode(withOthers, 3, level);
    Pixels pixels = PngDecoder.decode(file, 0, bytes == 2);

    assertThat(pixels.height()).isEqualTo(height);
    assertThat(pixels.width()).isEqualTo(width);
    assertThat(pixels.channels()).isEqualTo(channels);
    assertThat(pixels.samples()).isEqualTo(samples);
  }

  @Test
  void encode_ofAnotherImage_beginsAfresh() {
    PngEncoder encoder = new PngEncoder(5, 4, 3, 1);
    byte[] first = encoder.encode(bytes(60), 0, -1);
    encoder.encode(new byte[60], 0, -1);

    assertThat(encoder.encode(bytes(60), 0, -1)).isEqualTo(first);
  }

  @Test
  void encode_ofSmoothImage_isMuchSmallerThanItsPixels() {
    byte[] slope = new byte[100 * 100];
    for (int i = 0; i < slope.length; i++) {
      slope[i] = (byte) (i / 100 + i % 100);
    }

    assertThat(new PngEncoder(100, 100, 1, 1).encode(slope, 0, -1)).hasSizeLessThan(500);
  }

  private static byte[] bytes(int size) {
    byte[] samples = new byte[size];
    new Random(size).nextBytes(samples);
    return samples;
  }

  private static short[] shorts(int size) {
    short[] samples = new short[size];
    Random random = new Random(size);
    for (int i = 0; i < size; i++) {
      samples[i] = (short) random.nextInt();
    }
    return samples;
  }
}
