package io.headrace.kernels.kit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4, a keyed hash that resists collisions made on purpose: J.-P. Aumasson and D. J.
 * Bernstein, SipHash: a fast short-input PRF (2012). Immutable.
 */
public final class SipHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The initial state: "somepseudorandomlygeneratedbytes". */
  private static final long[] INITIAL = {
    0x736f6d6570736575L, 0x646f72616e646f6dL, 0x6c7967656e657261L, 0x7465646279746573L
  };

  private static final int LAST_ROUNDS = 4;
  private static final long LAST_MASK = 0xff;

  private final long key0;
  private final long key1;

  /** The hash function of a key of 128 bits, the low ones first. */
  public SipHash(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /** The hash of {@code bytes}. */
  public long hash(byte[] bytes) {
    State state = new State(key0, key1);
    int at = 0;
    for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
      state.add((long) LONG.get(bytes, at));
    }
    long last = (long) bytes.length << (Long.SIZE - Byte.SIZE);
    for (int shift = 0; at < bytes.length; at++, shift += Byte.SIZE) {
      last |= (bytes[at] & 0xffL) << shift;
    }
    state.add(last);
    return state.end();
  }

  private static final class State {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    State(long key0, long key1) {
      v0 = key0 ^ INITIAL[0];
      v1 = key1 ^ INITIAL[1];
      v2 = key0 ^ INITIAL[2];
      v3 = key1 ^ INITIAL[3];
    }

    void add(long word) {
      v3 ^= word;
      round();
      round();
      v0 ^= word;
    }

    long end() {
      v2 ^= LAST_MASK;
      for (int i = 0; i < LAST_ROUNDS; i++) {
        round();
      }
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
