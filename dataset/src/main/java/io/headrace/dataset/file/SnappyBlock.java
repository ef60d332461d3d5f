package io.headrace.dataset.file;

import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.ZipException;
import org.xerial.snappy.Snappy;

/** One block in Snappy's raw format, without a length before it. */
public final class SnappyBlock {
  /** More than Snappy compresses: its densest code has 3 bytes for 64. */
  private static final int MAX_RATIO = 22;

  private SnappyBlock() {}

  /** The block of {@code bytes}. */
  public static byte[] compress(byte[] bytes) {
    byte[] block = new byte[Snappy.maxCompressedLength(bytes.length)];
    try {
      return Arrays.copyOf(block, Snappy.compress(bytes, 0, bytes.length, block, 0));
    } catch (IOException e) {
      throw new AssertionError("a block of the largest length has room", e);
    }
  }

  /**
   * The bytes of {@code block}; ZipException where it is damaged, before an allocation that exceeds
   * the bound for one tensor or what a block of its length can hold.
   */
  public static byte[] uncompress(byte[] block) throws ZipException {
    long bound = Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8);
    try {
      int size = Snappy.uncompressedLength(block);
      if (size < 0 || size > bound || size > (long) MAX_RATIO * block.length + MAX_RATIO) {
        throw new ZipException(
            "a block of %d bytes that claims to hold %d".formatted(block.length, size));
      }
      byte[] result = new byte[size];
      int written = Snappy.uncompress(block, 0, block.length, result, 0);
      if (written != size) {
        throw new ZipException("a block holds %d bytes, and claims %d".formatted(written, size));
      }
      return result;
    } catch (ZipException e) {
      throw e;
    } catch (IOException e) {
      ZipException damaged = new ZipException("a block cannot be uncompressed");
      damaged.initCause(e);
      throw damaged;
    }
  }
}
