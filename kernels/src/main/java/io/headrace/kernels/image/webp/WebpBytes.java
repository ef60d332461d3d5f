package io.headrace.kernels.image.webp;

/**
 * A range of a file's bytes and a place in it, from which chunks are read: a tag of four letters, a
 * size, that many bytes, and one more if they are odd. Used by one thread.
 */
final class WebpBytes {
  /** The largest size of a chunk that libwebp accepts. */
  static final long MAX_PAYLOAD = 0xFFFF_FFFFL - 9;

  /** The size of a chunk's tag and size. */
  static final int CHUNK_HEADER = 8;

  private static final int TAG = 4;

  private final byte[] file;
  private final int to;
  private int at;

  WebpBytes(byte[] file, int from, int to) {
    this.file = file;
    this.at = from;
    this.to = to;
  }

  byte[] file() {
    return file;
  }

  int at() {
    return at;
  }

  int to() {
    return to;
  }

  int left() {
    return to - at;
  }

  void skip(int bytes) {
    at += bytes;
  }

  /** Whether the tag {@code tag} is at {@code offset} from here, of which there are four bytes. */
  boolean hasTag(int offset, String tag) {
    for (int i = 0; i < TAG; i++) {
      if (file[at + offset + i] != tag.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  int u8(int offset) {
    return file[at + offset] & 0xff;
  }

  int u16(int offset) {
    return u8(offset) | u8(offset + 1) << 8;
  }

  int u24(int offset) {
    return u16(offset) | u8(offset + 2) << 16;
  }

  long u32(int offset) {
    return u24(offset) | (long) u8(offset + 3) << 24;
  }

  /** The size of the chunk that begins here. */
  long chunkSize() {
    return u32(TAG);
  }

  /** {@code size} with the byte that pads it. */
  static long padded(long size) {
    return size + (size & 1);
  }
}
