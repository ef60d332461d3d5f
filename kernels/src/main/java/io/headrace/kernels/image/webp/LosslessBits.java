package io.headrace.kernels.image.webp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads bits of a lossless image, the least significant of each byte first. Beyond the end it reads
 * zeros. Used by one thread.
 */
final class LosslessBits {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] data;
  private final int to;
  private final long end;
  private long at;

  LosslessBits(byte[] data, int from, int to) {
    this.data = data;
    this.to = to;
    this.end = 8L * to;
    this.at = 8L * from;
  }

  /** Reads {@code count} bits, at most 32, as a number. */
  int read(int count) {
    int result = (int) (next() & (1L << count) - 1);
    at += count;
    return result;
  }

  int symbol(PrefixCode code) {
    int entry = code.entry((int) next());
    at += PrefixCode.length(entry);
    return PrefixCode.symbol(entry);
  }

  /** Whether more bits were read than there are. */
  boolean isPastEnd() {
    return at > end;
  }

  /** At least the next 57 bits. */
  private long next() {
    int index = (int) Math.min(at >>> 3, to);
    long bits;
    if (index + Long.BYTES <= to) {
      bits = (long) LONGS.get(data, index);
    } else {
      bits = 0;
      for (int i = index; i < to; i++) {
        bits |= (data[i] & 0xffL) << (8 * (i - index));
      }
    }
    return bits >>> (at & 7);
  }
}
