package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.headrace.runtime.status.StatusException;
import java.util.function.LongConsumer;

/** Decompression of Zstandard frames, by the optional library zstd-jni. */
final class ZstdFrame {
  /** A block has at most 128 KiB, of four bytes at least: a header and the byte that it repeats. */
  private static final long MAX_EXPANSION = (128 << 10) / 4;

  private ZstdFrame() {}

  /**
   * The contents of {@code frame}, whose size is checked before memory is taken. INVALID_ARGUMENT
   * if it is damaged or does not tell its size.
   *
   * @throws LinkageError without the library, which this class needs to be linked
   */
  static byte[] decompress(byte[] frame, LongConsumer checkSize) {
    long size = contentSize(frame);
    if (size < 0) {
      throw invalidArgument("Failed to determine decompressed size");
    }
    if (size > MAX_EXPANSION * frame.length) {
      throw invalidArgument(
          "Failed to decompress zstd input: %d bytes can't hold %d", frame.length, size);
    }
    checkSize.accept(size);
    byte[] contents = new byte[(int) size];
    try {
      long result = Zstd.decompressByteArray(contents, 0, contents.length, frame, 0, frame.length);
      if (!Zstd.isError(result)) {
        return contents;
      }
      throw failure(Zstd.getErrorName(result));
    } catch (ZstdException e) {
      throw failure(String.valueOf(e.getMessage()));
    }
  }

  private static long contentSize(byte[] frame) {
    try {
      return frame.length == 0 ? -1 : Zstd.getFrameContentSize(frame);
    } catch (ZstdException _) {
      return -1;
    }
  }

  private static StatusException failure(String reason) {
    return invalidArgument("Failed to decompress zstd input: %s", reason);
  }
}
