package io.headrace.dataset.file;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Reads lines of text, which end at a line feed; carriage returns are removed. */
public final class TextLines implements RecordReader {
  private final FileBytes bytes;

  private TextLines(FileBytes bytes) {
    this.bytes = bytes;
  }

  /** Opens a text file. */
  public static RecordReader open(String file, FileCompression compression) {
    return new TextLines(FileBytes.open(file, compression));
  }

  @Override
  public int read(byte[][] records, int from, int count) {
    int done = 0;
    while (done < count) {
      int end = endOfLine(0);
      if (end < 0 && done > 0) {
        return done;
      }
      if (end < 0) {
        return readAcrossBlocks(records, from);
      }
      records[from + done++] = line(end);
      bytes.advance(end + 1);
    }
    return done;
  }

  /** Reads a line whose end is not buffered yet. */
  private int readAcrossBlocks(byte[][] records, int from) {
    int searched = bytes.buffered();
    while (bytes.fill()) {
      int end = endOfLine(searched);
      if (end >= 0) {
        records[from] = line(end);
        bytes.advance(end + 1);
        return 1;
      }
      searched = bytes.buffered();
    }
    if (bytes.buffered() == 0) {
      return 0;
    }
    records[from] = line(bytes.buffered());
    bytes.advance(bytes.buffered());
    return 1;
  }

  /**
   * The distance of the first line feed from the position, at least {@code from}; -1 if none is
   * buffered.
   */
  private int endOfLine(int from) {
    byte[] block = bytes.block();
    int start = bytes.position();
    for (int i = start + from; i < start + bytes.buffered(); i++) {
      if (block[i] == '\n') {
        return i - start;
      }
    }
    return -1;
  }

  private byte[] line(int length) {
    int start = bytes.position();
    byte[] line = Arrays.copyOfRange(bytes.block(), start, start + length);
    for (byte b : line) {
      if (b == '\r') {
        return withoutReturns(line);
      }
    }
    return line;
  }

  private static byte[] withoutReturns(byte[] line) {
    ByteArrayOutputStream kept = new ByteArrayOutputStream(line.length);
    for (byte b : line) {
      if (b != '\r') {
        kept.write(b);
      }
    }
    return kept.toByteArray();
  }

  @Override
  public void close() {
    bytes.close();
  }
}
