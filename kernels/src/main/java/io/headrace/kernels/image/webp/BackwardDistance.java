package io.headrace.kernels.image.webp;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The distances of copies in lossless images: the first 120 numbers are pixels nearby. */
final class BackwardDistance {
  private static final int ROWS = 8;

  /** Pixels to the left of one, and to the right in earlier rows. */
  private static final int COLUMNS = 8;

  /** The neighbors, from the nearest on. */
  private static final List<Neighbor> NEIGHBORS =
      IntStream.range(0, ROWS)
          .boxed()
          .flatMap(up ->
              IntStream.rangeClosed(1 - COLUMNS, COLUMNS)
                  .filter(left -> up > 0 || left > 0)
                  .mapToObj(left -> new Neighbor(left, up)))
          .sorted(
              Comparator.comparingInt(Neighbor::squaredDistance)
                  .thenComparingInt(n -> Math.abs(n.left))
                  .thenComparingInt(n -> -n.left))
          .toList();

  private BackwardDistance() {}

  /** A pixel {@code left} columns to the left and {@code up} rows above another. */
  private record Neighbor(int left, int up) {
    int squaredDistance() {
      return left * left + up * up;
    }
  }

  /** The pixels between a copy and its source, by number {@code code}, from 1 on. */
  static int of(int code, int width) {
    if (code > NEIGHBORS.size()) {
      return code - NEIGHBORS.size();
    }
    Neighbor neighbor = NEIGHBORS.get(code - 1);
    return Math.max(1, neighbor.up * width + neighbor.left);
  }
}
