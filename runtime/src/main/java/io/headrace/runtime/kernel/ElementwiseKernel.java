package io.headrace.runtime.kernel;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Piece;
import io.headrace.runtime.expression.Program;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
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
public final class ElementwiseKernel implements Kernel.Sync {
  /** Stands for the number of rows where there are none. */
  private static final int NO_ROWS = -1;

  /**
   * What a plan is made for.
   *
   * @param shapes the inputs' shapes
   * @param rows number of rows, or {@link #NO_ROWS}
   * @param rowsMask bit k: whether input k has a row dimension
   */
  private record Key(List<Shape> shapes, int rows, long rowsMask) {}

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
    List<Shape> shapes = new ArrayList<>(operands.length);
    for (Tensor operand : operands) {
      shapes.add(operand.shape());
    }
    return run(new Key(shapes, NO_ROWS, 0)).run(operands, new Cancellation());
  }

  @Override
  public void compute(KernelCall call) {
    Tensor[] operands = operands(call);
    Key key = new Key(shapes(operands), NO_ROWS, 0);
    call.setOutput(0, run(key).run(operands, call.cancellation()));
  }

  @Override
  public boolean computeRows(RowsCall call) {
    long mask = 0;
    for (int i = 0; i < inputs.size(); i++) {
      mask |= call.isRows(i) ? 1L << i : 0;
    }
    Tensor[] operands = operands(call);
    Key key = new Key(shapes(operands), call.rows(), mask);
    call.setOutput(0, run(key).run(operands, call.cancellation()));
    return true;
  }

  private Tensor[] operands(KernelCall call) {
    Tensor[] operands = new Tensor[inputs.size()];
    for (int i = 0; i < operands.length; i++) {
      operands[i] = call.input(i);
    }
    return operands;
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
    Planned planned = new Planned(key, new ElementwiseRun(pieces, inputs, plan(key)));
    last = planned;
    return planned.run();
  }

  private static BroadcastPlan plan(Key key) {
    if (key.rows() == NO_ROWS) {
      return BroadcastPlan.of(key.shapes());
    }
    int rank = 0;
    for (int i = 0; i < key.shapes().size(); i++) {
      rank = Math.max(rank, key.shapes().get(i).rank() - (isRows(key, i) ? 1 : 0));
    }
    List<Shape> aligned = new ArrayList<>();
    for (int i = 0; i < key.shapes().size(); i++) {
      Shape shape = key.shapes().get(i);
      aligned.add(isRows(key, i) ? padded(shape, rank) : shape);
    }
    return BroadcastPlan.of(aligned);
  }

  private static boolean isRows(Key key, int input) {
    return (key.rowsMask() >>> input & 1) != 0;
  }

  /** The rows' shapes brought to {@code rank}: dimensions of size 1 after the rows'. */
  private static Shape padded(Shape shape, int rank) {
    Shape padded = shape.dropFirst(1);
    while (padded.rank() < rank) {
      padded = padded.prepend(1);
    }
    return padded.prepend(shape.size(0));
  }
}
