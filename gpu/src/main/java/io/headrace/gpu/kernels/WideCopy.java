package io.headrace.gpu.kernels;

import io.headrace.runtime.op.Movement.Dimension;
import io.headrace.runtime.op.Movement.StridedCopy;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy of elements of 1, 2, 4 or 8 bytes: several narrow ones that are adjacent move as one.
 *
 * @param copy counts in elements of {@code bytes} bytes
 */
record WideCopy(StridedCopy copy, int bytes) {
  private static final int MAX_BYTES = 8;

  /** The widest form of a copy of elements of {@code bytes} bytes. */
  static WideCopy of(StridedCopy copy, int bytes) {
    WideCopy wide = new WideCopy(copy, bytes);
    while (wide.bytes < MAX_BYTES && wide.isOfPairs()) {
      wide = wide.ofPairs();
    }
    return wide;
  }

  private boolean isOfPairs() {
    List<Dimension> dimensions = copy.dimensions();
    if (dimensions.isEmpty() || (copy.from() | copy.to()) % 2 != 0) {
      return false;
    }
    Dimension inner = dimensions.getLast();
    return inner.fromStride() == 1
        && inner.toStride() == 1
        && inner.size() % 2 == 0
        && dimensions.stream()
            .limit(dimensions.size() - 1L)
            .allMatch(outer -> (outer.fromStride() | outer.toStride()) % 2 == 0);
  }

  private WideCopy ofPairs() {
    List<Dimension> pairs = new ArrayList<>();
    for (Dimension outer : copy.dimensions().subList(0, copy.dimensions().size() - 1)) {
      pairs.add(new Dimension(outer.size(), outer.fromStride() / 2, outer.toStride() / 2));
    }
    int inner = copy.dimensions().getLast().size() / 2;
    if (inner > 1) {
      pairs.add(new Dimension(inner, 1, 1));
    }
    return new WideCopy(
        new StridedCopy(copy.input(), copy.from() / 2, copy.to() / 2, pairs), 2 * bytes);
  }
}
