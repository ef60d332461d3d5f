package io.headrace.kernels.image.jpeg;

/**
 * The bytes of a file, with a mark: the end of the last segment or MCU that was read completely.
 *
 * <p>At the end of the file it does as TensorFlow does. If all bytes up to the mark are consumed,
 * an EOI marker is supplied where truncated files are to be recovered, and the file is damaged
 * otherwise. Within a segment, a file to be recovered continues with the bytes after the mark, once
 * more.
 */
final class JpegInput {
  private static final byte[] EOI = {(byte) 0xff, (byte) 0xd9};

  /** More than the longest segment can need; libjpeg would never end. */
  private static final int MAX_REWINDS = 1 << 17;

  private final boolean recoversTruncated;
  private byte[] bytes;
  private int position;
  private int mark;
  private int rewinds;

  JpegInput(byte[] bytes, boolean recoversTruncated) {
    this.bytes = bytes;
    this.recoversTruncated = recoversTruncated;
  }

  /** The next byte, 0 to 255. */
  int read() throws JpegException {
    if (position == bytes.length) {
      refill();
    }
    return bytes[position++] & 0xff;
  }

  int read16() throws JpegException {
    int high = read();
    return high << Byte.SIZE | read();
  }

  private void refill() throws JpegException {
    if (mark < bytes.length) {
      if (!recoversTruncated) {
        throw new OutOfDataException();
      }
      if (++rewinds > MAX_REWINDS) {
        throw new JpegException("the file ends within a segment of fill bytes");
      }
      position = mark;
    } else if (recoversTruncated) {
      bytes = EOI;
      position = 0;
      mark();
    } else {
      throw new JpegException("the file is truncated");
    }
  }

  /** Declares everything consumed that was read. */
  void mark() {
    mark = position;
    rewinds = 0;
  }

  /** Returns to the mark. */
  void rewind() {
    position = mark;
  }

  /** Skips {@code count} bytes and marks. */
  void skip(int count) throws JpegException {
    if (count > bytes.length - position) {
      position = bytes.length;
      mark();
      refill();
    } else {
      position += count;
      mark();
    }
  }

  /** The bytes from the mark to the end. */
  int remaining() {
    return bytes.length - mark;
  }

  /** The array of all bytes, for reading at {@link #position}. */
  byte[] bytes() {
    return bytes;
  }

  int position() {
    return position;
  }

  void position(int newPosition) {
    position = newPosition;
  }
}
