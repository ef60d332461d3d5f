package io.headrace.runtime.execute;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Frame ids, by which the tasks of a step name the same iteration of a shared loop. They are part
 * of rendezvous keys on the wire, so they are computed as TensorFlow does.
 */
final class FrameIds {
  /** The root frame. */
  static final long ROOT = 0;

  private static final long SEED = 0xDECAFCAFFEL;
  private static final long GOLDEN = 0x9e3779b97f4a7800L;
  private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;
  private static final int SHIFT = 47;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private FrameIds() {}

  /**
   * The id of the frame {@code name} entered from {@code iteration} of the frame {@code parent}.
   */
  static long child(long parent, long iteration, String name) {
    return combine(parent, combine(iteration, hash(name.getBytes(UTF_8))));
  }

  private static long combine(long a, long b) {
    return a ^ (b + GOLDEN + (a << 10) + (a >>> 4));
  }

  /** MurmurHash64A. */
  private static long hash(byte[] data) {
    long h = SEED ^ (data.length * MULTIPLIER);
    MemorySegment bytes = MemorySegment.ofArray(data);
    int whole = data.length & ~7;
    for (int i = 0; i < whole; i += Long.BYTES) {
      h = (h ^ mixed(bytes.get(LONG, i))) * MULTIPLIER;
    }
    if (whole < data.length) {
      long tail = 0;
      for (int i = data.length - 1; i >= whole; i--) {
        tail = (tail << Byte.SIZE) | (data[i] & 0xff);
      }
      h = (h ^ tail) * MULTIPLIER;
    }
    h = (h ^ (h >>> SHIFT)) * MULTIPLIER;
    return h ^ (h >>> SHIFT);
  }

  private static long mixed(long k) {
    long multiplied = k * MULTIPLIER;
    return (multiplied ^ (multiplied >>> SHIFT)) * MULTIPLIER;
  }
}
