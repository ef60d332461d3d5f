package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.kernels.image.JpegEncoder.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both encoders make the same files; the recorded cases compare them with TensorFlow's. */
final class JpegEncoderTest {
  /** Noise over a gradient. */
  private static byte[] samples(int height, int width, int channels) {
    byte[] samples = new byte[height * width * channels];
    Random random = new Random(samples.length);
    for (int i = 0; i < samples.length; i++) {
      samples[i] = (byte) (i * 255L / samples.length + random.nextInt(60));
    }
    return samples;
  }

  private static NativeJpegEncoder library() {
    return NativeJpegEncoder.find().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 3, 95, false, false, true",
    "37, 53, 3, 95, false, false, true",
    "37, 53, 3, 0, false, false, true",
    "37, 53, 3, 100, false, true, true",
    "37, 53, 3, 75, true, false, true",
    "64, 48, 3, 30, true, true, false",
    "37, 53, 3, 90, false, false, false",
    "37, 53, 1, 90, false, false, true",
    "200, 7, 1, 50, true, false, true",
    "700, 900, 3, 100, false, false, false",
  })
  void encode_byEither_isTheSame(
      int height,
      int width,
      int channels,
      int quality,
      boolean progressive,
      boolean optimize,
      boolean downsample) {
    byte[] samples = samples(height, width, channels);
    Request request = new Request(quality, progressive, optimize, downsample, 2, 72, 150, "");
    assertThat(library().encode(samples, height, width, channels, request))
        .isEqualTo(JpegEncoder.encodeByJdk(samples, height, width, channels, request));
  }

  @Test
  void encode_byManyThreads_isThatOfOne() {
    List<CompletableFuture<byte[]>> files = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      int size = 16 + i % 8 * 24;
      files.add(
          CompletableFuture.supplyAsync(() ->
              library().encode(samples(size, size, 3), size, size, 3, Request.ofQuality(80))));
    }
    for (int i = 0; i < 64; i++) {
      int size = 16 + i % 8 * 24;
      assertThat(files.get(i).join())
          .isEqualTo(
              JpegEncoder.encodeByJdk(
                  samples(size, size, 3), size, size, 3, Request.ofQuality(80)));
    }
  }
}
