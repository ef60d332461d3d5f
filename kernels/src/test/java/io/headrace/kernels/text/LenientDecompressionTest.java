package io.headrace.kernels.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.InstanceOfAssertFactories;
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

  /** A client that does not have headrace-natives. */
  @Test
  void inflate_zstdWithoutItsLibrary_namesTheLibrary() throws IOException, InterruptedException {
    String others =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(path -> !path.contains("zstd-jni"))
            .collect(Collectors.joining(File.pathSeparator));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(java, "-Xmx64m", "-cp", others, ZstdProgram.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    try (var out = process.inputReader()) {
      assertThat(out.lines().toList())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("UNIMPLEMENTED: ZSTD needs a library that is not on the class path")
          .contains("add headrace-natives");
    }
    assertThat(process.waitFor()).isZero();
  }

  /** Prints the status of a decompression. */
  static final class ZstdProgram {
    private ZstdProgram() {}

    @SuppressWarnings("SystemOut") // that is how the parent process gets it
    public static void main(String[] args) {
      try {
        System.out.println(LenientDecompression.ZSTD.inflate(new byte[21]).length);
      } catch (StatusException e) {
        System.out.println(e.code() + ": " + e.message());
      }
    }
  }
}
