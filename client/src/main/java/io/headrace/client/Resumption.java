package io.headrace.client;

import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * What a reader goes on from, and with whom.
 *
 * @param checkpoint what was taken before: by this reader, or, merged, by all that go on together
 * @param reader which of those it is, from 0
 * @param readers how many go on together in one job, each from its own checkpoint or all from a
 *     merged one
 */
public record Resumption(Checkpoint checkpoint, int reader, int readers) {
  /** Checks the numbers. */
  public Resumption {
    if (readers < 1 || reader < 0 || reader >= readers) {
      throw StatusException.invalidArgument(
          "a reader that goes on together with others is number 0 to n - 1 of n, got %d of %d",
          reader, readers);
    }
  }

  /**
   * The number by which the reader is known: the one that the checkpoint is of, if it is of one and
   * goes on alone; otherwise one that follows from the checkpoint and the place among the others,
   * so that it is the same if the reader must go on from there again.
   */
  long readerId() {
    List<Long> before = checkpoint.toProto().getReadersList();
    if (readers == 1 && before.size() == 1) {
      return before.getFirst();
    }
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * before.size() + 2 * Integer.BYTES);
    before.stream().sorted().forEach(bytes::putLong);
    long hash =
        ByteBuffer.wrap(sha256().digest(bytes.putInt(reader).putInt(readers).array())).getLong();
    return hash == 0 ? 1 : hash;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
