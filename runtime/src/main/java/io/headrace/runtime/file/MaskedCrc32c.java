package io.headrace.runtime.file;

import java.util.zip.CRC32C;

/**
 * The checksums of TensorFlow's files: CRC-32C (RFC 3720, appendix B.4), masked as LevelDB's log
 * format does, because the checksum of data that contains checksums is weak.
 */
public final class MaskedCrc32c {
  private static final int DELTA = 0xa282ead8;
  private static final int ROTATION = 15;

  private MaskedCrc32c() {}

  /** The masked checksum of {@code count} bytes of {@code bytes}, from {@code from} on. */
  public static int of(byte[] bytes, int from, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, count);
    return mask(crc);
  }

  /** The masked form of {@code crc}. */
  public static int mask(CRC32C crc) {
    return Integer.rotateRight((int) crc.getValue(), ROTATION) + DELTA;
  }

  /** The checksum whose masked form is {@code masked}. */
  public static int unmask(int masked) {
    return Integer.rotateLeft(masked - DELTA, ROTATION);
  }
}
