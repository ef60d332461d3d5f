package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** Tables in forms that checkpoints of stock TensorFlow do not show, and malformed tables. */
final class SstableTest {
  @TempDir private Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] block(byte type, byte[] content) {
    byte[] block = Arrays.copyOf(content, content.length + SstableFormat.TRAILER_BYTES);
    block[content.length] = type;
    SstableFormat.INT.set(block, content.length + 1, MaskedCrc32c.of(block, 0, content.length + 1));
    return block;
  }

  /** A block of one entry. */
  private static byte[] entry(String key, byte[] value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Varints.write(out, 0);
    Varints.write(out, bytes(key).length);
    Varints.write(out, value.length);
    out.writeBytes(bytes(key));
    out.writeBytes(value);
    out.writeBytes(new byte[] {0, 0, 0, 0, 1, 0, 0, 0});
    return out.toByteArray();
  }

  private static byte[] handle(int offset, int size) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Varints.write(out, offset);
    Varints.write(out, size);
    return out.toByteArray();
  }

  /** A table of one data block, in its file form. */
  private Path table(byte type, byte[] data) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(block(type, data));
    byte[] index = entry("z", handle(0, data.length));
    byte[] footer = new byte[SstableFormat.FOOTER_BYTES];
    byte[] indexHandle = handle(file.size(), index.length);
    System.arraycopy(indexHandle, 0, footer, 2, indexHandle.length); // the handle of the metaindex
    // block is 0, 0
    SstableFormat.LONG.set(footer, SstableFormat.HANDLES_BYTES, SstableFormat.MAGIC);
    file.writeBytes(block(SstableFormat.UNCOMPRESSED, index));
    file.writeBytes(footer);
    return Files.write(folder.resolve("table"), file.toByteArray());
  }

  @Test
  void get_ofACompressedBlock_uncompressesIt() throws IOException {
    byte[] value = bytes("value ".repeat(1000));
    Path file = table(SstableFormat.SNAPPY, Snappy.compress(entry("key", value)));
    try (SstableReader table = SstableReader.open(file.toString())) {
      assertThat(table.get(bytes("key")).orElseThrow()).isEqualTo(value);
      assertThat(table.get(bytes("kez"))).isEmpty();
    }
  }

  @Test
  void get_ofABlockThatIsNoBlock_isDataLoss() throws IOException {
    assertDataLoss(table(SstableFormat.SNAPPY, entry("key", bytes("not compressed"))));
    assertDataLoss(table((byte) 2, entry("key", bytes("value"))));
    assertDataLoss(table(SstableFormat.UNCOMPRESSED, new byte[] {1, 2}));
    assertDataLoss(table(SstableFormat.UNCOMPRESSED, new byte[] {9, 9, 9, 9, -1, -1, -1, 127}));
    byte[] tooLong = entry("key", bytes("value"));
    tooLong[2] = 100; // the value's length
    assertDataLoss(table(SstableFormat.UNCOMPRESSED, tooLong));
    byte[] sharing = entry("key", bytes("value"));
    sharing[0] = 1; // shares a byte with a previous key that does not exist
    assertDataLoss(table(SstableFormat.UNCOMPRESSED, sharing));
  }

  private static void assertDataLoss(Path file) {
    assertThatThrownBy(
            () -> {
              try (SstableReader table = SstableReader.open(file.toString())) {
                var _ = table.get(bytes("key"));
              }
            })
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.DATA_LOSS));
  }

  @Test
  void get_ofKeysThatBytesOrder_findsEach() {
    String file = folder.resolve("ordered").toString();
    List<byte[]> keys =
        List.of(
            new byte[0], new byte[] {0}, new byte[] {1, -1}, new byte[] {-1}, new byte[] {-1, 0});
    try (AtomicFile out = AtomicFile.create(file)) {
      SstableWriter writer = new SstableWriter(out);
      keys.forEach(key -> writer.add(key, Arrays.copyOf(key, 3)));
      assertThatThrownBy(() -> writer.add(new byte[] {-1, 0}, new byte[0]))
          .isInstanceOf(IllegalArgumentException.class);
      writer.finish();
      out.commit();
    }
    try (SstableReader table = SstableReader.open(file)) {
      for (byte[] key : keys) {
        assertThat(table.get(key).orElseThrow()).isEqualTo(Arrays.copyOf(key, 3));
      }
      assertThat(table.get(new byte[] {2})).isEqualTo(Optional.empty());
    }
  }

  @Test
  void orderedCode_ofNumbers_ordersThemAsBytes() {
    long[] numbers = {
      Long.MIN_VALUE,
      -(1L << 55) - 1,
      -8193,
      -8192,
      -65,
      -64,
      -1,
      0,
      1,
      63,
      64,
      8191,
      8192,
      1L << 40,
      1L << 55,
      Long.MAX_VALUE
    };
    for (int i = 1; i < numbers.length; i++) {
      byte[] less = new OrderedCode().signed(numbers[i - 1]).toByteArray();
      byte[] more = new OrderedCode().signed(numbers[i]).toByteArray();
      assertThat(Arrays.compareUnsigned(less, more)).as("%d", numbers[i]).isNegative();
    }
    assertThat(new OrderedCode().signed(63).toByteArray()).isEqualTo(new byte[] {(byte) 0xbf});
    assertThat(new OrderedCode().signed(0x424242).toByteArray())
        .isEqualTo(new byte[] {(byte) 0xf0, 0x42, 0x42, 0x42});
    assertThat(new OrderedCode().signed(-0x800).toByteArray()).isEqualTo(new byte[] {0x38, 0});
    assertThat(new OrderedCode().signed(Long.MIN_VALUE).toByteArray()).hasSize(10);
  }
}
