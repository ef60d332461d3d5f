package io.headrace.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small and malformed files; the interop tests feed files written by numpy. */
final class NpyFileTest {
  @TempDir Path folder;

  /** A file of format version 1. */
  static byte[] file(String descr, boolean fortranOrder, String shape, int... data) {
    String header =
        "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }\n"
            .formatted(descr, fortranOrder ? "True" : "False", shape);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
    bytes.writeBytes(new byte[] {(byte) header.length(), 0});
    bytes.writeBytes(header.getBytes(ISO_8859_1));
    for (int value : data) {
      bytes.write(value);
    }
    return bytes.toByteArray();
  }

  private String read(byte[] bytes) throws IOException {
    Tensor tensor = NpyFile.read(Files.write(folder.resolve("a.npy"), bytes));
    return tensor.typeAndShape() + " " + new ElementText(-1).of(tensor);
  }

  @Test
  void numbers_areReadInEitherByteOrder() throws IOException {
    assertThat(read(file("<i2", false, "2", 1, 0, 255, 255))).isEqualTo("int16[2] [1, -1]");
    assertThat(read(file(">u2", false, "2", 1, 0, 0, 1))).isEqualTo("uint16[2] [256, 1]");
    assertThat(read(file(">c8", false, "1", 63, 128, 0, 0, 64, 0, 0, 0)))
        .isEqualTo("complex64[1] [(1.0, 2.0i)]");
    assertThat(read(file("|b1", false, "2", 1, 0))).isEqualTo("bool[2] [true, false]");
  }

  @Test
  void fortranOrder_isTurned() throws IOException {
    assertThat(read(file("|i1", true, "2, 3", 1, 4, 2, 5, 3, 6)))
        .isEqualTo("int8[2,3] [[1, 2, 3], [4, 5, 6]]");
  }

  @Test
  void strings_areBytesOrText() throws IOException {
    assertThat(read(file("|S3", false, "2", 'a', 'b', 0, 'c', 0, 0)))
        .isEqualTo("string[2] [\"ab\", \"c\"]");
    assertThat(read(file("<U2", false, "1", 0xfc, 0, 0, 0, 0, 0, 0, 0)))
        .isEqualTo("string[1] [\"\u00fc\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"|O8", "<M8"})
  void otherObjects_areRefused(String descr) throws IOException {
    Path bad = Files.write(folder.resolve("bad.npy"), file(descr, false, "0"));

    assertThatThrownBy(() -> NpyFile.read(bad))
        .hasMessageContaining("bad.npy is not a usable .npy file");
  }

  @Test
  void anyCut_isRefused() throws IOException {
    byte[] whole = file("<i2", false, "2", 1, 0, 255, 255);
    for (int length = 0; length < whole.length; length++) {
      Path cut = Files.write(folder.resolve("cut.npy"), Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> NpyFile.read(cut)).hasMessageContaining("cut.npy");
    }
  }
}
