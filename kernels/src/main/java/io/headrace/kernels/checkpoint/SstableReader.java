package io.headrace.kernels.checkpoint;

import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.xerial.snappy.Snappy;

/**
 * Reads a sorted table of keys and values: LevelDB's format (doc/table_format.md in its repository)
 * as tensorflow/core/lib/io/table.h reads it, with blocks uncompressed or compressed by Snappy. A
 * lookup reads the block that may hold the key; the last block is cached. A malformed table is
 * DATA_LOSS. Used by one thread.
 */
final class SstableReader implements AutoCloseable {
  /** An entry of a block. The value of an entry of the index block is a block handle. */
  private static final class Entry {
    final byte[] key;
    final byte[] value;

    Entry(byte[] key, byte[] value) {
      this.key = key;
      this.value = value;
    }
  }

  private final RandomAccessInput file;
  private final List<Entry> index;
  private int cachedBlock = -1;
  private List<Entry> cached = List.of();

  private SstableReader(RandomAccessInput file, List<Entry> index) {
    this.file = file;
    this.index = index;
  }

  /** Opens the table {@code name}; NOT_FOUND if it does not exist, DATA_LOSS if it is no table. */
  public static SstableReader open(String name) {
    RandomAccessInput file = RandomAccessInput.open(name);
    try {
      return new SstableReader(file, index(file));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static List<Entry> index(RandomAccessInput file) {
    if (file.size() < SstableFormat.FOOTER_BYTES) {
      throw file.dataLoss("file is too short to be an sstable");
    }
    byte[] footer = new byte[SstableFormat.FOOTER_BYTES];
    file.read(file.size() - footer.length, footer, footer.length);
    if ((long) SstableFormat.LONG.get(footer, SstableFormat.HANDLES_BYTES) != SstableFormat.MAGIC) {
      throw file.dataLoss("not an sstable (bad magic number)");
    }
    Cursor handles = new Cursor(file, footer, 0, SstableFormat.HANDLES_BYTES);
    handles.varint();
    handles.varint();
    return entries(file, block(file, handles));
  }

  /** The value of {@code key}; empty if the table does not hold it. */
  public Optional<byte[]> get(byte[] key) {
    int block = find(index, key);
    if (block == index.size()) {
      return Optional.empty();
    }
    List<Entry> entries = load(block);
    int at = find(entries, key);
    return at < entries.size() && Arrays.equals(entries.get(at).key, key)
        ? Optional.of(entries.get(at).value)
        : Optional.empty();
  }

  /** Passes every entry, in key order, to {@code each}. */
  void forEach(Consumer<Map.Entry<byte[], byte[]>> each) {
    for (int block = 0; block < index.size(); block++) {
      for (Entry entry : load(block)) {
        each.accept(Map.entry(entry.key, entry.value));
      }
    }
  }

  /** All entries, in key order; a block is read when its first entry is asked for. */
  Iterator<Map.Entry<byte[], byte[]>> iterator() {
    return IntStream.range(0, index.size())
        .boxed()
        .flatMap(block -> load(block).stream())
        .map(entry -> Map.entry(entry.key, entry.value))
        .iterator();
  }

  /** The index of the first of {@code entries} whose key is not less than {@code key}. */
  private static int find(List<Entry> entries, byte[] key) {
    int low = 0;
    int high = entries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(entries.get(middle).key, key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private List<Entry> load(int block) {
    if (block != cachedBlock) {
      byte[] handle = index.get(block).value;
      cached = entries(file, block(file, new Cursor(file, handle, 0, handle.length)));
      cachedBlock = block;
    }
    return cached;
  }

  private static byte[] block(RandomAccessInput file, Cursor handle) {
    long offset = handle.varint();
    long size = handle.varint();
    if (offset < 0 || size < 0 || size > file.size() - SstableFormat.TRAILER_BYTES - offset) {
      throw file.dataLoss("truncated block read: a block of %d bytes at %d", size, offset);
    }
    checkSize(file, size);
    byte[] bytes = new byte[(int) size + SstableFormat.TRAILER_BYTES];
    file.read(offset, bytes, bytes.length);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, (int) size + 1);
    if (MaskedCrc32c.mask(crc) != (int) SstableFormat.INT.get(bytes, (int) size + 1)) {
      throw file.dataLoss("block checksum mismatch");
    }
    return switch (bytes[(int) size]) {
      case SstableFormat.UNCOMPRESSED -> Arrays.copyOf(bytes, (int) size);
      case SstableFormat.SNAPPY -> uncompressed(file, bytes, (int) size);
      default -> throw file.dataLoss("bad block type %d", bytes[(int) size]);
    };
  }

  private static void checkSize(RandomAccessInput file, long size) {
    if (size > Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 16)) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%s: a block of %d bytes passes the bound of %d bytes for one tensor",
          file.name(),
          size,
          TensorLimit.maxBytes());
    }
  }

  private static byte[] uncompressed(RandomAccessInput file, byte[] bytes, int size) {
    try {
      int length = Snappy.uncompressedLength(bytes, 0, size);
      checkSize(file, length);
      byte[] result = new byte[length];
      Snappy.uncompress(bytes, 0, size, result, 0);
      return result;
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, file.name() + ": corrupted compressed block contents", e);
    }
  }

  private static List<Entry> entries(RandomAccessInput file, byte[] block) {
    if (block.length < 4) {
      throw file.dataLoss("bad block contents");
    }
    long restarts = Integer.toUnsignedLong((int) SstableFormat.INT.get(block, block.length - 4));
    if (restarts > (block.length - 4) / 4) {
      throw file.dataLoss("bad block contents");
    }
    Cursor in = new Cursor(file, block, 0, block.length - 4 - 4 * (int) restarts);
    List<Entry> result = new ArrayList<>();
    byte[] last = {};
    while (in.hasMore()) {
      int shared = in.count(last.length);
      int unshared = in.count(Integer.MAX_VALUE);
      int valueBytes = in.count(Integer.MAX_VALUE);
      byte[] suffix = in.bytes(unshared);
      byte[] key = Arrays.copyOf(last, shared + unshared);
      System.arraycopy(suffix, 0, key, shared, unshared);
      result.add(new Entry(key, in.bytes(valueBytes)));
      last = key;
    }
    return result;
  }

  @Override
  public void close() {
    file.close();
  }

  /** Reads varints and bytes sequentially; DATA_LOSS past the end. */
  private static final class Cursor {
    private final RandomAccessInput file;
    private final byte[] bytes;
    private final int end;
    private int at;

    Cursor(RandomAccessInput file, byte[] bytes, int at, int end) {
      this.file = file;
      this.bytes = bytes;
      this.at = at;
      this.end = end;
    }

    boolean hasMore() {
      return at < end;
    }

    long varint() {
      long value = 0;
      for (int shift = 0; shift < Long.SIZE; shift += 7) {
        if (at >= end) {
          break;
        }
        byte b = bytes[at++];
        value |= (b & 0x7fL) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw file.dataLoss("bad entry in block");
    }

    int count(int most) {
      long value = varint();
      if (value < 0 || value > most) {
        throw file.dataLoss("bad entry in block");
      }
      return (int) value;
    }

    byte[] bytes(int count) {
      if (count > end - at) {
        throw file.dataLoss("bad entry in block");
      }
      at += count;
      return Arrays.copyOfRange(bytes, at - count, at);
    }
  }
}
