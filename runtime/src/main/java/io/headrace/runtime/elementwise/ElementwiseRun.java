package io.headrace.runtime.elementwise;

import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.GeneratedLoops;
import io.headrace.runtime.expression.Loop;
import io.headrace.runtime.expression.LoopPiece;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/** The loops of an expression, specialized for input shapes. Thread-safe. */
final class ElementwiseRun {
  /*
   * HotSpot vectorizes a loop only if it reads and writes all arrays at one index. If all inputs
   * correspond one to one with the result and begin at index 0, the loop runs over their arrays
   * directly. Otherwise (views, inputs that are repeated, several pieces with columns between them)
   * the evaluation runs in blocks that stay in the cache; see BlockRun.
   */

  /** Elements computed between two checks of the cancellation. */
  private static final int SEGMENT = 1 << 18;

  /** An input repeated at least this often in a row is passed to the loop as a single element. */
  private static final int LONG_RUN = 64;

  private final List<LoopPiece> pieces;
  private final List<DataType> inputs;
  private final BroadcastPlan plan;
  private final List<Loop> loops = new ArrayList<>();
  private final boolean inRuns;

  ElementwiseRun(List<LoopPiece> pieces, List<DataType> inputs, BroadcastPlan plan) {
    this.pieces = pieces;
    this.inputs = inputs;
    this.plan = plan;
    this.inRuns = pieces.size() == 1 && plan.hasPartial() && runsAreLong();
    for (LoopPiece piece : pieces) {
      loops.add(
          GeneratedLoops.of(
              piece.program(), piece.sources().stream().map(this::isSingle).toList()));
    }
  }

  private boolean runsAreLong() {
    int innermost = plan.dimensions() - 1;
    boolean repeated = plan.size(innermost) >= LONG_RUN;
    for (int i = 0; i < inputs.size(); i++) {
      repeated &= plan.access(i) != Access.PARTIAL || !plan.varies(i, innermost);
    }
    return repeated;
  }

  /** Whether a loop reads {@code source} as a single element. */
  private boolean isSingle(int source) {
    return source < inputs.size()
        && (plan.access(source) == Access.SINGLE
            || (inRuns && plan.access(source) == Access.PARTIAL));
  }

  /** The result for {@code operands}, which have the shapes of the plan. */
  Tensor run(Tensor[] operands, Cancellation cancellation) {
    DataType dtype = pieces.getLast().program().result();
    Object out = TensorLimit.allocateUnset(dtype, plan.output());
    if (plan.elements() > 0) {
      try {
        run(operands, out, cancellation);
      } catch (ArithmeticException e) {
        throw new StatusException(StatusCode.INVALID_ARGUMENT, "Integer division by zero", e);
      }
    }
    return Tensor.wrap(dtype, plan.output(), out);
  }

  private void run(Tensor[] operands, Object out, Cancellation cancellation) {
    if (inRuns) {
      runInRuns(compacted(operands), out, cancellation);
    } else if (!plan.hasPartial() && pieces.size() == 1 && areAligned(operands)) {
      runDirectly(operands, out, cancellation);
    } else {
      new BlockRun(pieces, loops, plan, operands, out).run(cancellation);
    }
  }

  /** Whether all one-to-one inputs begin at index 0 of their arrays. */
  private boolean areAligned(Tensor[] operands) {
    for (int i = 0; i < operands.length; i++) {
      if (plan.access(i) == Access.FULL && TensorMemory.offset(operands[i]) != 0) {
        return false;
      }
    }
    return true;
  }

  private Tensor[] compacted(Tensor[] operands) {
    Tensor[] result = operands.clone();
    for (int i = 0; i < result.length; i++) {
      result[i] = plan.access(i) == Access.FULL ? result[i].compact() : result[i];
    }
    return result;
  }

  private BoundLoop bind(Tensor[] operands) {
    Object[] arrays = new Object[operands.length];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = TensorMemory.array(operands[i]);
    }
    return new BoundLoop(loops.getFirst(), pieces.getFirst().sources(), arrays, operands);
  }

  private void runDirectly(Tensor[] operands, Object out, Cancellation cancellation) {
    BoundLoop loop = bind(operands);
    int from = 0;
    while (from < plan.elements()) {
      cancellation.check();
      int count = Math.min(plan.elements() - from, SEGMENT);
      loop.run(out, from, from + count);
      from += count;
    }
  }

  /** Runs the loop along each innermost row, in which repeated inputs are constant. */
  private void runInRuns(Tensor[] operands, Object out, Cancellation cancellation) {
    BoundLoop loop = bind(operands);
    int innermost = plan.dimensions() - 1;
    int size = plan.size(innermost);
    for (int outer = 0; outer < plan.elements() / size; outer++) {
      cancellation.check();
      for (int i = 0; i < operands.length; i++) {
        if (plan.access(i) == Access.PARTIAL) {
          loop.moveTo(i, TensorMemory.offset(operands[i]) + plan.offset(i, innermost, outer));
        }
      }
      loop.run(out, outer * size, outer * size + size);
    }
  }
}
