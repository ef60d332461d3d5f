package io.headrace.runtime.op;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** Common shape functions. */
public final class ShapeFunctions {
  /** One output, a scalar. */
  public static final ShapeFunction SCALAR = _ -> List.of(Shape.SCALAR);

  /** One output, of the shape of input 0. */
  public static final ShapeFunction SAME = inputs -> List.of(inputs.shape(0));

  /** One output, of the shape that all inputs broadcast to. */
  public static final ShapeFunction BROADCAST =
      inputs -> {
        Shape result = inputs.shape(0);
        for (int i = 1; i < inputs.count(); i++) {
          result = broadcast(result, inputs.shape(i));
        }
        return List.of(result);
      };

  private ShapeFunctions() {}

  /**
   * The shape to which {@code a} and {@code b} broadcast, by NumPy's rules. INVALID_ARGUMENT if
   * they are incompatible.
   */
  public static Shape broadcast(Shape a, Shape b) {
    if (a.isUnknownRank() || b.isUnknownRank()) {
      return Shape.UNKNOWN;
    }
    int rank = Math.max(a.rank(), b.rank());
    long[] result = new long[rank];
    for (int i = 1; i <= rank; i++) {
      long x = i <= a.rank() ? a.size(a.rank() - i) : 1;
      long y = i <= b.rank() ? b.size(b.rank() - i) : 1;
      result[rank - i] = broadcastSize(a, b, x, y);
    }
    return Shape.of(result);
  }

  private static long broadcastSize(Shape a, Shape b, long x, long y) {
    if (x == 1 || y == 1) {
      return x == 1 ? y : x;
    }
    if (x < 0 || y < 0) {
      return Math.max(x, y);
    }
    if (x != y) {
      throw StatusException.invalidArgument("Incompatible shapes: %s vs. %s", a, b);
    }
    return x;
  }
}
