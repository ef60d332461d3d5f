package io.headrace.runtime.kernel;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Piece;
import io.headrace.runtime.expression.Program;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes a scalar expression for each element of its inputs, which broadcast. Over rows, one loop
 * runs over whole columns. Thread-safe.
 */
public final class ElementwiseKernel implements BroadcastingKernel {
  /** The shapes that a plan is made for, and bit k for each input k that has rows. */
  private record Key(List<Shape> shapes, long rowsMask) {
    BroadcastPlan plan() {
      return BroadcastPlan.ofRows(shapes, rowsMask);
    }
  }

  private record Planned(Key key, ElementwiseRun run) {}

  private final List<Piece> pieces;
  private final List<DataType> inputs;

  /** The plan of the last call: mostly the next has the same shapes. Races lose only work. */
  private volatile @Nullable Planned last;

  private ElementwiseKernel(List<Piece> pieces, List<DataType> inputs) {
    this.pieces = pieces;
    this.inputs = inputs;
  }

  /** A kernel for {@code expression} over inputs of the dtypes {@code inputs}, at most 64. */
  public static ElementwiseKernel of(Expression expression, List<DataType> inputs) {
    return new ElementwiseKernel(Piece.cut(Program.of(expression, inputs)), List.copyOf(inputs));
  }

  /** The result for {@code operands}. */
  public Tensor apply(Tensor... operands) {
    return apply(operands, 0, new Cancellation());
  }

  @Override
  public Tensor apply(Tensor[] operands, long rowsMask, Cancellation cancellation) {
    return run(new Key(shapes(operands), rowsMask)).run(operands, cancellation);
  }

  private static List<Shape> shapes(Tensor[] operands) {
    List<Shape> shapes = new ArrayList<>(operands.length);
    for (Tensor operand : operands) {
      shapes.add(operand.shape());
    }
    return shapes;
  }

  private ElementwiseRun run(Key key) {
    Planned known = last;
    if (known != null && known.key().equals(key)) {
      return known.run();
    }
    Planned planned = new Planned(key, new ElementwiseRun(pieces, inputs, key.plan()));
    last = planned;
    return planned.run();
  }
}
