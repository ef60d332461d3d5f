package io.headrace.dataset.file;

import io.headrace.runtime.tensor.TensorLimit;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.ZipException;
import org.xerial.snappy.Snappy;

/**
 * TensorFlow's files of Snappy blocks (tsl/lib/io/snappy): before each block its compressed length,
 * as four bytes, the most significant first.
 */
final class SnappyBlocks {
  /** The uncompressed size of written blocks: TensorFlow's readers take no larger ones. */
  private static final int BLOCK_BYTES = 1 << 18;

  private SnappyBlocks() {}

  /** The uncompressed bytes of {@code in}; EOFException or ZipException where they are damaged. */
  static InputStream reader(InputStream in) {
    return new Reader(in);
  }

  /** A stream that writes blocks to {@code out}. */
  static OutputStream writer(OutputStream out) {
    return new Writer(out);
  }

  private static final class Reader extends InputStream {
    private final InputStream in;
    private byte[] block = {};
    private int at;

    Reader(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      return fill() ? block[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] to, int from, int count) throws IOException {
      if (count == 0) {
        return 0;
      }
      if (!fill()) {
        return -1;
      }
      int part = Math.min(count, block.length - at);
      System.arraycopy(block, at, to, from, part);
      at += part;
      return part;
    }

    /** Has unread bytes in the block; returns false at the end. */
    private boolean fill() throws IOException {
      while (at == block.length) {
        byte[] header = in.readNBytes(Integer.BYTES);
        if (header.length == 0) {
          return false;
        }
        if (header.length < Integer.BYTES) {
          throw new EOFException("it ends within the length of a block");
        }
        block = uncompressed(ByteBuffer.wrap(header).getInt());
        at = 0;
      }
      return true;
    }

    private byte[] uncompressed(int length) throws IOException {
      long bound = Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8);
      if (length < 0 || length > bound) {
        throw new ZipException("a block of %s bytes".formatted(Integer.toUnsignedString(length)));
      }
      byte[] compressed = in.readNBytes(length);
      if (compressed.length < length) {
        throw new EOFException("it ends within a block");
      }
      return SnappyBlock.uncompress(compressed);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private static final class Writer extends OutputStream {
    private final OutputStream out;
    private final byte[] block = new byte[BLOCK_BYTES];
    private final byte[] compressed = new byte[Snappy.maxCompressedLength(BLOCK_BYTES)];
    private int size;

    Writer(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
      if (size == BLOCK_BYTES) {
        writeBlock();
      }
      block[size++] = (byte) b;
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      for (int done = 0; done < count; ) {
        if (size == BLOCK_BYTES) {
          writeBlock();
        }
        int part = Math.min(count - done, BLOCK_BYTES - size);
        System.arraycopy(bytes, from + done, block, size, part);
        size += part;
        done += part;
      }
    }

    private void writeBlock() throws IOException {
      int length = Snappy.compress(block, 0, size, compressed, 0);
      out.write(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
      out.write(compressed, 0, length);
      size = 0;
    }

    /** Writes the last block; a later write would begin another. */
    @Override
    public void flush() throws IOException {
      if (size > 0) {
        writeBlock();
      }
      out.flush();
    }

    @Override
    public void close() throws IOException {
      flush();
      out.close();
    }
  }
}
