package io.headrace.kernels.checkpoint;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.MaskedCrc32c;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes a sorted table of keys and values ({@link SstableFormat}), without compression, byte for
 * byte as TensorFlow writes it. Used by one thread.
 */
final class SstableWriter {
  /** The size at which a block is flushed, in bytes. */
  private static final int BLOCK_BYTES = 1 << 18;

  /**
   * The number of entries of a data block between restart points, where a key is stored in full.
   */
  private static final int RESTART_INTERVAL = 16;

  private final AtomicFile file;
  private final Block data = new Block(RESTART_INTERVAL);
  private final Block index = new Block(1);
  private long written;
  private byte[] lastKey = {};
  private boolean hasEntries;

  /**
   * The handle of the last data block. Its index entry is written with the next key, which bounds
   * the separator; empty if none is pending.
   */
  private byte[] pendingHandle = {};

  /** A writer to {@code file}, which the caller commits. */
  SstableWriter(AtomicFile file) {
    this.file = file;
  }

  /** Adds an entry; keys must ascend, compared as unsigned bytes. */
  void add(byte[] key, byte[] value) {
    if (hasEntries && Arrays.compareUnsigned(key, lastKey) <= 0) {
      throw new IllegalArgumentException("the keys of a table must ascend");
    }
    if (hasEntries && (long) key.length + value.length >= 2L * BLOCK_BYTES) {
      flush();
    }
    if (pendingHandle.length > 0) {
      index.add(separator(lastKey, key), pendingHandle);
      pendingHandle = new byte[0];
    }
    data.add(key, value);
    lastKey = key;
    hasEntries = true;
    if (data.size() >= BLOCK_BYTES) {
      flush();
    }
  }

  private void flush() {
    if (!data.isEmpty()) {
      pendingHandle = write(data);
    }
  }

  /** Writes the last data block, the metaindex block, the index block and the footer. */
  void finish() {
    flush();
    byte[] meta = write(new Block(RESTART_INTERVAL));
    if (pendingHandle.length > 0) {
      index.add(successor(lastKey), pendingHandle);
    }
    byte[] indexHandle = write(index);
    byte[] footer = new byte[SstableFormat.FOOTER_BYTES];
    System.arraycopy(meta, 0, footer, 0, meta.length);
    System.arraycopy(indexHandle, 0, footer, meta.length, indexHandle.length);
    SstableFormat.LONG.set(footer, SstableFormat.HANDLES_BYTES, SstableFormat.MAGIC);
    file.write(footer, 0, footer.length);
  }

  /** Writes {@code block}, empties it, and returns its handle: two varints, offset and size. */
  private byte[] write(Block block) {
    byte[] content = block.finish();
    byte[] trailer = new byte[SstableFormat.TRAILER_BYTES];
    trailer[0] = SstableFormat.UNCOMPRESSED;
    CRC32C crc = new CRC32C();
    crc.update(content);
    crc.update(trailer[0]);
    SstableFormat.INT.set(trailer, 1, MaskedCrc32c.mask(crc));
    file.write(content, 0, content.length);
    file.write(trailer, 0, trailer.length);
    ByteArrayOutputStream handle = new ByteArrayOutputStream();
    Varints.write(handle, written);
    Varints.write(handle, content.length);
    written += content.length + trailer.length;
    return handle.toByteArray();
  }

  /** A short key that is not less than {@code key} and less than {@code next}. */
  private static byte[] separator(byte[] key, byte[] next) {
    int at = Arrays.mismatch(key, next);
    if (at < key.length && at < next.length && (key[at] & 0xff) + 1 < (next[at] & 0xff)) {
      byte[] result = Arrays.copyOf(key, at + 1);
      result[at]++;
      return result;
    }
    return key;
  }

  /** A short key that is not less than {@code key}. */
  private static byte[] successor(byte[] key) {
    for (int i = 0; i < key.length; i++) {
      if (key[i] != (byte) 0xff) {
        byte[] result = Arrays.copyOf(key, i + 1);
        result[i]++;
        return result;
      }
    }
    return key;
  }

  /** A block under construction: entries with prefix-compressed keys, and the restart points. */
  private static final class Block {
    private final int restartInterval;
    private final ByteArrayOutputStream entries = new ByteArrayOutputStream();
    private final List<Integer> restarts = new ArrayList<>(List.of(0));
    private byte[] lastKey = {};
    private int sinceRestart;

    Block(int restartInterval) {
      this.restartInterval = restartInterval;
    }

    boolean isEmpty() {
      return entries.size() == 0;
    }

    long size() {
      return entries.size() + 4L * restarts.size() + 4;
    }

    void add(byte[] key, byte[] value) {
      int shared = 0;
      if (sinceRestart < restartInterval) {
        int mismatch = Arrays.mismatch(lastKey, key);
        shared = mismatch < 0 ? key.length : mismatch;
      } else {
        restarts.add(entries.size());
        sinceRestart = 0;
      }
      Varints.write(entries, shared);
      Varints.write(entries, key.length - shared);
      Varints.write(entries, value.length);
      entries.write(key, shared, key.length - shared);
      entries.writeBytes(value);
      lastKey = key;
      sinceRestart++;
    }

    byte[] finish() {
      byte[] ends = new byte[4 * restarts.size() + 4];
      for (int i = 0; i < restarts.size(); i++) {
        SstableFormat.INT.set(ends, 4 * i, (int) restarts.get(i));
      }
      SstableFormat.INT.set(ends, 4 * restarts.size(), restarts.size());
      entries.writeBytes(ends);
      byte[] content = entries.toByteArray();
      entries.reset();
      restarts.clear();
      restarts.add(0);
      lastKey = new byte[0];
      sinceRestart = 0;
      return content;
    }
  }
}
