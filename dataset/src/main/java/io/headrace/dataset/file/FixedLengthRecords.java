package io.headrace.dataset.file;

/** Reads records of one length, between a header and a footer that are left out. */
public final class FixedLengthRecords implements RecordReader {
  /**
   * Where the records lie.
   *
   * @param headerBytes bytes before the first
   * @param recordBytes bytes of each, at least 1
   * @param footerBytes bytes behind the last
   */
  public record Layout(long headerBytes, int recordBytes, int footerBytes) {}

  private final FileBytes bytes;
  private final Layout layout;
  private boolean begun;

  private FixedLengthRecords(FileBytes bytes, Layout layout) {
    this.bytes = bytes;
    this.layout = layout;
  }

  /** Opens files of {@code layout}. */
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
      long skipped = bytes.skip(layout.headerBytes());
      if (skipped < layout.headerBytes()) {
        throw bytes.dataLoss(
            "truncated header of %d bytes instead of %d".formatted(skipped, layout.headerBytes()));
      }
      begun = true;
    }
  }

  /** The bytes that are left are the footer and nothing else. */
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
