package io.headrace.gpu.device;

import java.util.Arrays;

/**
 * How far each stream of a context must get until something is no longer in use: the number of the
 * last piece of its work that uses it, 0 for none. Used under the context's lock.
 */
@SuppressWarnings("EnumOrdinal") // an array, since it is read for each buffer of each launch
final class StreamUses {
  private final long[] last = new long[StreamRole.COUNT];

  /** Work {@code position} of a stream uses it, too. */
  void add(StreamRole stream, long position) {
    last[stream.ordinal()] = Math.max(last[stream.ordinal()], position);
  }

  /** All that {@code other} waits for, too. */
  void add(StreamUses other) {
    for (int i = 0; i < last.length; i++) {
      last[i] = Math.max(last[i], other.last[i]);
    }
  }

  /** Only work {@code position} of a stream, which comes behind all others. */
  void replace(StreamRole stream, long position) {
    clear();
    last[stream.ordinal()] = position;
  }

  /** Nothing uses it. */
  void clear() {
    Arrays.fill(last, 0);
  }

  /** The last work of {@code stream} that uses it. */
  long of(StreamRole stream) {
    return last[stream.ordinal()];
  }
}
