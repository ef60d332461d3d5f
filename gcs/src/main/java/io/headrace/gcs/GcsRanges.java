package io.headrace.gcs;

import com.google.cloud.ReadChannel;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobSourceOption;
import com.google.cloud.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Ranges of the bytes of one version of an object: if it is replaced while it is read, the read
 * fails with NOT_FOUND, instead of continuing with the bytes of another version. Thread-safe.
 *
 * @param file the name, for messages
 * @param object with its generation
 * @param size in bytes
 */
record GcsRanges(Storage storage, String file, BlobId object, long size) {
  /** Reads a range, which lies within the object; blocks. */
  byte[] read(long from, int count) {
    byte[] bytes = new byte[count];
    read(from, ByteBuffer.wrap(bytes));
    return bytes;
  }

  /** Fills {@code into} with the bytes from {@code from} on, which the object has; blocks. */
  void read(long from, ByteBuffer into) {
    long end = from + into.remaining();
    // The bytes as they are stored: a compressed object is not uncompressed on the way.
    BlobSourceOption raw = BlobSourceOption.shouldReturnRawInputStream(true);
    try (ReadChannel channel = storage.reader(object, raw)) {
      channel.setChunkSize(0); // no buffer beside ours
      channel.limit(end);
      channel.seek(from);
      while (into.hasRemaining()) {
        if (channel.read(into) < 0) {
          throw new IOException(
              "the object has %d bytes, and ended %d bytes before %d"
                  .formatted(size, into.remaining(), end));
        }
      }
    } catch (IOException | StorageException e) {
      throw GcsErrors.failure(file, e);
    }
  }
}
