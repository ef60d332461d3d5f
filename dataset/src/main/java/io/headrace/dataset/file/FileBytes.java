package io.headrace.dataset.file;

import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.FileSystem;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.zip.ZipException;

/**
 * The uncompressed bytes of a file, read in large blocks. Offsets count uncompressed bytes. Used by
 * one thread at a time, except {@link #close}.
 */
final class FileBytes implements AutoCloseable {
  private static final int BLOCK_BYTES = 1 << 18;

  private final String file;
  private final InputStream raw;
  private final FileCompression compression;
  private final long fileBytes;
  private InputStream stream;
  private byte[] block;
  private int position;
  private int limit;
  private long blockOffset;
  private boolean opened;
  private volatile boolean closed;

  private FileBytes(String file, InputStream raw, FileCompression compression, long fileBytes) {
    this.file = file;
    this.raw = raw;
    this.stream = raw;
    this.compression = compression;
    this.fileBytes = fileBytes;
    this.block = new byte[blockBytes()];
  }

  /** A small file's block is as small: passes over many would else mostly clear memory. */
  private int blockBytes() {
    return Math.clamp(length().orElse(BLOCK_BYTES), 64, BLOCK_BYTES);
  }

  /** Opens {@code file}; NOT_FOUND, naming it, if it does not exist. */
  static FileBytes open(String file, FileCompression compression) {
    FileSystem.Opened opened = DataFiles.open(file);
    return new FileBytes(file, opened.bytes(), compression, opened.size());
  }

  /** The file name, for messages. */
  String file() {
    return file;
  }

  /** The file's length in bytes, as it is read; empty if it is compressed or unknown. */
  OptionalLong length() {
    return compression == FileCompression.NONE && fileBytes > 0
        ? OptionalLong.of(fileBytes)
        : OptionalLong.empty();
  }

  /** The offset of the next byte. */
  long offset() {
    return blockOffset + position;
  }

  /** The number of buffered bytes. */
  int buffered() {
    return limit - position;
  }

  /** The buffer; unread bytes start at {@link #position}. Not to be written to. */
  byte[] block() {
    return block;
  }

  /** The index of the next byte in {@link #block}. */
  int position() {
    return position;
  }

  /** Moves the position by {@code count} buffered bytes; negative moves back, within the block. */
  void advance(int count) {
    position += count;
  }

  /** Buffers at least {@code count} bytes, or all up to the end; returns the number buffered. */
  int require(int count) {
    while (buffered() < count && fill()) {}
    return buffered();
  }

  /**
   * Buffers more bytes; returns false at the end. The buffer grows with what it holds, never with
   * what a file claims. RESOURCE_EXHAUSTED if it would exceed the bound for one tensor.
   */
  boolean fill() {
    if (position > 0) {
      System.arraycopy(block, position, block, 0, buffered());
      blockOffset += position;
      limit -= position;
      position = 0;
    }
    if (limit == block.length) {
      long bound = Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8);
      if (limit >= bound + BLOCK_BYTES || limit == Integer.MAX_VALUE - 8) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s: a record at offset %d passes the bound of %d bytes for one tensor",
            file,
            offset(),
            bound);
      }
      long larger = Math.min(2L * block.length, bound + BLOCK_BYTES);
      block = Arrays.copyOf(block, (int) Math.min(larger, Integer.MAX_VALUE - 8));
    }
    int count = readSome(block, limit, block.length - limit);
    limit += Math.max(0, count);
    return count > 0;
  }

  /**
   * The next {@code count} bytes, or those up to the end. A corrupt count larger than the file does
   * not lead to an allocation of its size.
   */
  byte[] take(long count) {
    if (count > TensorLimit.maxBytes() || count > Integer.MAX_VALUE - 8) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%s: a record of %d bytes at offset %d passes the bound of %d bytes",
          file,
          count,
          offset(),
          TensorLimit.maxBytes());
    }
    int wanted = (int) count;
    if (wanted <= block.length || compression != FileCompression.NONE) {
      int had = Math.min(require(wanted), wanted);
      byte[] taken = Arrays.copyOfRange(block, position, position + had);
      advance(had);
      return taken;
    }
    return takeLarge((int) Math.min(wanted, fileBytes - offset()));
  }

  private byte[] takeLarge(int count) {
    byte[] taken = new byte[Math.max(count, buffered())];
    int had = buffered();
    System.arraycopy(block, position, taken, 0, had);
    while (had < taken.length) {
      int more = readSome(taken, had, taken.length - had);
      if (more <= 0) {
        break;
      }
      had += more;
    }
    blockOffset += position + had;
    position = 0;
    limit = 0;
    return had == taken.length ? taken : Arrays.copyOf(taken, had);
  }

  /** Skips {@code count} bytes; returns the number skipped. */
  long skip(long count) {
    long left = count;
    while (left > 0 && (buffered() > 0 || fill())) {
      int step = (int) Math.min(left, buffered());
      advance(step);
      left -= step;
    }
    return count - left;
  }

  private int readSome(byte[] into, int from, int count) {
    try {
      if (!opened) {
        stream = fileBytes == 0 ? raw : compression.uncompress(raw);
        opened = true;
      }
      return stream.read(into, from, count);
    } catch (EOFException | ZipException e) {
      throw dataLoss("the " + compression + " stream is truncated or corrupt: " + e.getMessage());
    } catch (IOException e) {
      if (closed) {
        throw new StatusException(StatusCode.CANCELLED, "reading " + file + " was cancelled", e);
      }
      throw DataFiles.readFailure(file, " at offset " + (blockOffset + limit), e);
    }
  }

  /** A DATA_LOSS that names file and offset. */
  StatusException dataLoss(String what) {
    return StatusException.of(
        StatusCode.DATA_LOSS,
        "%s: %s, at %s %d",
        file,
        what,
        compression == FileCompression.NONE ? "offset" : "uncompressed offset",
        offset());
  }

  @Override
  public void close() {
    closed = true;
    try {
      raw.close();
    } catch (IOException e) {
      throw new StatusException(StatusCode.UNKNOWN, file + " cannot be closed: " + e, e);
    }
  }
}
