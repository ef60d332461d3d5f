package io.headrace.dataset.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecordReadersTest {
  @TempDir private Path folder;

  private String write(String name, byte[] bytes) throws IOException {
    Path file = folder.resolve(name);
    Files.write(file, bytes);
    return file.toString();
  }

  private static byte[] tfRecords(int... lengths) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int length : lengths) {
      byte[] body = new byte[length];
      Arrays.fill(body, (byte) length);
      ByteBuffer frame = ByteBuffer.allocate(16 + length).order(ByteOrder.LITTLE_ENDIAN);
      frame.putLong(length).putInt(masked(frame.array(), 0, 8)).put(body);
      frame.putInt(masked(body, 0, length));
      out.writeBytes(frame.array());
    }
    return out.toByteArray();
  }

  private static int masked(byte[] bytes, int from, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, count);
    int value = (int) crc.getValue();
    return ((value >>> 15) | (value << 17)) + 0xa282ead8;
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream stream = new GZIPOutputStream(out)) {
      stream.write(bytes);
    }
    return out.toByteArray();
  }

  private static List<byte[]> readAll(RecordReader reader, int atOnce) {
    List<byte[]> records = new ArrayList<>();
    byte[][] some = new byte[atOnce][];
    for (int n = reader.read(some, 0, atOnce); n > 0; n = reader.read(some, 0, atOnce)) {
      records.addAll(Arrays.asList(some).subList(0, n));
    }
    return records;
  }

  @Test
  void tfRecords_largerThanABlock_areReadWhole() throws IOException {
    int[] lengths = {0, 5, 300_000, 1, 2_000_000, 7};
    String file = write("a", tfRecords(lengths));
    for (int atOnce : new int[] {1, 3, 100}) {
      try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 0)) {
        assertThat(readAll(reader, atOnce).stream().mapToInt(r -> r.length))
            .containsExactly(0, 5, 300_000, 1, 2_000_000, 7);
      }
    }
  }

  @Test
  void tfRecords_gzipLargerThanABlock_areReadWhole() throws IOException {
    String file = write("a", gzip(tfRecords(600_000, 3)));
    try (RecordReader reader = TfRecords.open(file, FileCompression.GZIP, 0)) {
      assertThat(readAll(reader, 10).stream().mapToInt(r -> r.length)).containsExactly(600_000, 3);
    }
  }

  @Test
  void tfRecords_fromAnOffset_beginThere() throws IOException {
    String file = write("a", tfRecords(10, 20));
    try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 26)) {
      assertThat(readAll(reader, 10).stream().mapToInt(r -> r.length)).containsExactly(20);
    }
  }

  @Test
  void tfRecords_corruptRecord_isDataLossBehindThoseBefore() throws IOException {
    byte[] bytes = tfRecords(10, 20, 30);
    bytes[26 + 12 + 3] ^= 1;
    String file = write("corrupt", bytes);
    try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 0)) {
      assertThat(reader.read(new byte[10][], 0, 10)).isEqualTo(1);
      assertThatThrownBy(() -> reader.read(new byte[10][], 0, 10))
          .hasMessageContaining(file)
          .hasMessageContaining("begins at 26")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DATA_LOSS);
    }
  }

  @Test
  void tfRecords_lengthOfExabytes_isRefusedBeforeItIsAllocated() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(1L << 60).putInt(masked(header.array(), 0, 8));
    String file = write("hostile", header.array());
    try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 0)) {
      assertThatThrownBy(() -> reader.read(new byte[1][], 0, 1))
          .hasMessageContaining(file)
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    }
  }

  @Test
  void tfRecords_longerThanTheFile_isDataLoss() throws IOException {
    String file = write("short", Arrays.copyOf(tfRecords(3_000_000), 1_000_000));
    try (RecordReader reader = TfRecords.open(file, FileCompression.NONE, 0)) {
      assertThatThrownBy(() -> reader.read(new byte[1][], 0, 1))
          .hasMessageContaining("truncated record")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DATA_LOSS);
    }
  }

  @Test
  void gzip_truncatedStream_isDataLossNamingTheFile() throws IOException {
    byte[] bytes = gzip(tfRecords(1000, 2000, 3000));
    String file = write("truncated.gz", Arrays.copyOf(bytes, bytes.length - 12));
    try (RecordReader reader = TfRecords.open(file, FileCompression.GZIP, 0)) {
      assertThatThrownBy(() -> readAll(reader, 1))
          .hasMessageContaining(file)
          .hasMessageContaining("offset")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DATA_LOSS);
    }
  }

  @Test
  void gzip_manyEmptyMembers_areSkipped() throws IOException {
    byte[] empty = gzip(new byte[0]);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    for (int i = 0; i < 200_000; i++) {
      members.writeBytes(empty);
    }
    members.writeBytes(gzip(tfRecords(1000)));
    String file = write("empty.gz", members.toByteArray());
    try (RecordReader reader = TfRecords.open(file, FileCompression.GZIP, 0)) {
      assertThat(readAll(reader, 10).stream().mapToInt(r -> r.length)).containsExactly(1000);
    }
  }

  @Test
  void textLines_gzipLineThatPassesTheBound_isRefused() throws IOException {
    String file = write("bomb.gz", gzip(new byte[10 << 20]));
    long bound = TensorLimit.maxBytes();
    TensorLimit.setMaxBytes(1 << 20);
    try (RecordReader reader = TextLines.open(file, FileCompression.GZIP)) {
      assertThatThrownBy(() -> readAll(reader, 1))
          .hasMessageContaining(file)
          .hasMessageContaining("1048576 bytes")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    } finally {
      TensorLimit.setMaxBytes(bound);
    }
  }

  @Test
  void textLines_longerThanABlock_areReadWhole() throws IOException {
    String line = "x".repeat(700_000);
    String file = write("lines", (line + "\n\n" + line + "y").getBytes(UTF_8));
    try (RecordReader reader = TextLines.open(file, FileCompression.NONE)) {
      assertThat(readAll(reader, 10).stream().mapToInt(r -> r.length))
          .containsExactly(700_000, 0, 700_001);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4 + 3 * 10 + 7, 4, 3})
  void fixedLength_fileOfAnotherLength_isInvalidBeforeItsFirstRecord(int length)
      throws IOException {
    String file = write("fixed", new byte[length]);
    FixedLengthRecords.Layout layout = new FixedLengthRecords.Layout(4, 10, 2);
    try (RecordReader reader = FixedLengthRecords.open(file, FileCompression.NONE, layout)) {
      assertThatThrownBy(() -> reader.read(new byte[1][], 0, 1))
          .hasMessageContaining("Excluding the header (4 bytes) and footer (2 bytes), input file")
          .hasMessageContaining(file)
          .hasMessageContaining("body length " + (length - 6) + " bytes")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void fixedLength_partOfARecordLeftOfACompressedFile_isDataLossWithItsOffset() throws IOException {
    String file = write("fixed.gz", gzip(new byte[4 + 3 * 10 + 7]));
    FixedLengthRecords.Layout layout = new FixedLengthRecords.Layout(4, 10, 2);
    try (RecordReader reader = FixedLengthRecords.open(file, FileCompression.GZIP, layout)) {
      assertThatThrownBy(() -> readAll(reader, 10))
          .hasMessageContaining(file)
          .hasMessageContaining("offset 34")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DATA_LOSS);
    }
  }

  @Test
  void open_missingFile_isNotFoundNamingIt() {
    String file = folder.resolve("nothing").toString();
    assertThatThrownBy(() -> TextLines.open(file, FileCompression.NONE))
        .hasMessageContaining(file)
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  @Test
  void open_fileSystemThatIsNotSupported_isUnimplementedNamingIt() {
    assertThatThrownBy(() -> TextLines.open("gs://bucket/object", FileCompression.NONE))
        .hasMessageContaining("gs://")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }
}
