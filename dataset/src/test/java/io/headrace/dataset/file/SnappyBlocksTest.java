package io.headrace.dataset.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

final class SnappyBlocksTest {
  private static byte[] written(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream blocks = SnappyBlocks.writer(out)) {
      blocks.write(bytes[0]);
      blocks.write(bytes, 1, bytes.length - 1);
    }
    return out.toByteArray();
  }

  private static byte[] read(byte[] blocks) throws IOException {
    return SnappyBlocks.reader(new ByteArrayInputStream(blocks)).readAllBytes();
  }

  @Test
  void read_ofWhatWasWritten_givesIt() throws IOException {
    byte[] noise = new byte[700_001];
    new Random(1).nextBytes(noise);

    assertThat(read(written(noise))).isEqualTo(noise);
    assertThat(read(written(new byte[1_000_000]))).isEqualTo(new byte[1_000_000]);
    assertThat(read(new byte[0])).isEmpty();
  }

  @Test
  void read_ofATruncatedBlock_fails() throws IOException {
    byte[] blocks = written(new byte[300]);

    assertThatThrownBy(() -> read(Arrays.copyOf(blocks, blocks.length - 1)))
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> read(Arrays.copyOf(blocks, 3))).isInstanceOf(EOFException.class);
  }

  @Test
  void read_ofABlockThatClaimsMoreThanItCanHold_fails() {
    // A length of 2^28 in a block of 6 bytes.
    byte[] claim = {0, 0, 0, 6, (byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 1, 0};

    assertThatThrownBy(() -> read(claim)).isInstanceOf(ZipException.class);
  }
}
