package io.headrace.dataset.file;

import io.headrace.runtime.status.StatusException;

/** Reads records of a fixed length, between a header and a footer that are skipped. */
public final class FixedLengthRecords implements RecordReader {
  /**
   * The layout of a file.
   *
   * @param headerBytes the bytes before the first record
   * @param recordBytes the bytes of a record, at least 1
   * @param footerBytes the bytes behind the last record
   */
  public record Layout(long headerBytes, int recordBytes, int footerBytes) {}

  private final FileBytes bytes;
  private final Layout layout;
  private boolean begun;

  private FixedLengthRecords(FileBytes bytes, Layout layout) {
    this.bytes = bytes;
    this.layout = layout;
  }

  /** Opens a file of {@code layout}. */
  public static RecordReader open(String file, FileCompression compression, Layout layout) {
    return new FixedLengthRecords(FileBytes.open(file, compression), layout);
  }

  @Override
  public int read(byte[][] records, int from, int count) {
    begin();
    int whole = layout.recordBytes() + layout.footerBytes();
    int done = 0;
    while (done < count && (done == 0 || bytes.buffered() >= whole)) {
      if (done == 0 && bytes.require(whole) < whole) {
        checkEnd();
        return 0;
      }
      records[from + done++] = bytes.take(layout.recordBytes());
    }
    return done;
  }

  private void begin() {
    if (!begun) {
      bytes.length().ifPresent(this::checkLength);
      long skipped = bytes.skip(layout.headerBytes());
      if (skipped < layout.headerBytes()) {
        throw bytes.dataLoss(
            "truncated header of %d bytes instead of %d".formatted(skipped, layout.headerBytes()));
      }
      begun = true;
    }
  }

  private void checkLength(long fileBytes) {
    long body = fileBytes - layout.headerBytes() - layout.footerBytes();
    if (body < 0 || body % layout.recordBytes() != 0) {
      throw StatusException.invalidArgument(
          "Excluding the header (%d bytes) and footer (%d bytes), input file \"%s\" has body length"
              + " %d bytes, which is not an exact multiple of the record length (%d bytes).",
          layout.headerBytes(), layout.footerBytes(), bytes.file(), body, layout.recordBytes());
    }
  }

  /** Checks that exactly the footer is left. */
  private void checkEnd() {
    if (bytes.buffered() != layout.footerBytes()) {
      throw bytes.dataLoss(
          ("%d bytes are left where a record of %d bytes and a footer of %d bytes, or the footer"
                  + " alone, should follow: without header and footer, the file's length is no"
                  + " multiple of the record length")
              .formatted(bytes.buffered(), layout.recordBytes(), layout.footerBytes()));
    }
  }

  @Override
  public void close() {
    bytes.close();
  }
}
