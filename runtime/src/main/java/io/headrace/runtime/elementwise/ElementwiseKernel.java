package io.headrace.runtime.elementwise;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A broadcasting kernel that evaluates a scalar expression for each element. Many rows are computed
 * by one loop over whole columns. Thread-safe.
 */
public final class ElementwiseKernel implements BroadcastingKernel {
  /** Maximum number of inputs of an expression. */
  public static final int MAX_INPUTS = 32;

  /** The input shapes that stages are specialized for; bit k is set if input k has rows. */
  private record Key(List<Shape> shapes, long rowsMask) {}

  private record Known(Key key, EvaluationStages stages) {}

  private final LoopProgram program;

  /** The stages of the last call; the next mostly has the same shapes. Races only repeat work. */
  private volatile @Nullable Known last;

  private ElementwiseKernel(LoopProgram program) {
    this.program = program;
  }

  /** A kernel for {@code expression} over inputs of the dtypes {@code inputs}. */
  public static ElementwiseKernel of(Expression expression, List<DataType> inputs) {
    return of(LoopProgram.of(expression, inputs));
  }

  /** A kernel for {@code program}. */
  public static ElementwiseKernel of(LoopProgram program) {
    if (program.inputs().size() > MAX_INPUTS) {
      throw new IllegalArgumentException(
          program.inputs().size() + " inputs are more than " + MAX_INPUTS);
    }
    return new ElementwiseKernel(program);
  }

  /** The result for {@code operands}, which have no row dimension. */
  public Tensor apply(Tensor... operands) {
    return apply(operands, 0, new Cancellation());
  }

  @Override
  public Tensor apply(Tensor[] operands, long rowsMask, Cancellation cancellation) {
    List<Shape> shapes = new ArrayList<>(operands.length);
    for (Tensor operand : operands) {
      shapes.add(operand.shape());
    }
    return stages(new Key(shapes, rowsMask)).run(operands, cancellation);
  }

  private EvaluationStages stages(Key key) {
    Known known = last;
    if (known == null || !known.key().equals(key)) {
      known = new Known(key, EvaluationStages.of(program, key.shapes(), key.rowsMask()));
      last = known;
    }
    return known.stages();
  }
}
