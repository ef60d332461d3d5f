package io.headrace.kernels.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** OracleTest tests decompression on recorded strings. */
final class LenientDecompressionTest {
  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream stream = new GZIPOutputStream(out)) {
      stream.write(bytes);
    }
    return out.toByteArray();
  }

  @Test
  void inflate_manyTinyMembersBehindALargeOne_takesTimeLinearInThem() throws IOException {
    byte[] large = new byte[50 << 20];
    byte[] tiny = gzip(new byte[] {7});
    int count = 100_000;
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(gzip(large));
    for (int i = 0; i < count; i++) {
      members.writeBytes(tiny);
    }

    byte[] expected = Arrays.copyOf(large, large.length + count);
    Arrays.fill(expected, large.length, expected.length, (byte) 7);
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () ->
            assertThat(
                    Arrays.equals(
                        LenientDecompression.GZIP.inflate(members.toByteArray()), expected))
                .isTrue());
  }

  @Test
  void inflate_manyEmptyMembers_yieldsNothing() throws IOException {
    byte[] empty = gzip(new byte[0]);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    for (int i = 0; i < 100_000; i++) {
      members.writeBytes(empty);
    }

    assertThat(LenientDecompression.GZIP.inflate(members.toByteArray())).isEmpty();
  }

  /** TensorFlow's process ends here. */
  @Test
  void inflate_aZstdFrameThatClaimsATebibyte_isRefusedBeforeMemoryIsTaken() {
    byte[] frame =
        HexFormat.of().parseHex("28b52ffde0" + "0000000000010000" + "290000" + "68656c6c6f");

    assertThatThrownBy(() -> LenientDecompression.ZSTD.inflate(frame))
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("21 bytes can't hold 1099511627776");
  }
}
