package io.headrace.runtime.elementwise;

import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.Loop;
import io.headrace.runtime.expression.LoopPiece;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ArrayPool;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * One evaluation of an expression in blocks. For each block, inputs are copied or broadcast into
 * columns (arrays of the block's size), the pieces of the expression run over the columns, and the
 * result is copied to the output.
 */
final class BlockRun {
  /** Target size of a block, in elements. */
  private static final int BLOCK = 4096;

  /** Results of up to this many elements are one block, written to the output directly. */
  private static final int ONE_BLOCK = 32_768;

  private final List<LoopPiece> pieces;
  private final BroadcastPlan plan;
  private final Tensor[] inputs;
  private final Object out;
  private final ElementKind outKind;

  /** A block is a whole number of steps of the dimensions from here inwards. */
  private final int split;

  private final int blockElements;
  private final boolean oneBlock;

  /** The columns of the inputs, then those of the results of the pieces. */
  private final Object[] columns;

  private final List<BoundLoop> loops = new ArrayList<>();
  private final ArrayPool pool = ArrayPool.ofThread();

  BlockRun(
      List<LoopPiece> pieces, List<Loop> loops, BroadcastPlan plan, Tensor[] inputs, Object out) {
    this.pieces = pieces;
    this.plan = plan;
    this.inputs = inputs;
    this.out = out;
    this.outKind = pieces.getLast().program().result().kind();
    this.split = split(plan);
    this.blockElements = blockElements(plan, split);
    this.oneBlock = blockElements == plan.elements();
    this.columns = new Object[inputs.length + pieces.size()];
    for (int i = 0; i < inputs.length; i++) {
      columns[i] = isReadInPlace(i) ? TensorMemory.array(inputs[i]) : newColumn(inputs[i].dtype());
    }
    for (int i = 0; i < pieces.size(); i++) {
      boolean toOut = oneBlock && i == pieces.size() - 1;
      columns[inputs.length + i] = toOut ? out : newColumn(pieces.get(i).program().result());
      this.loops.add(new BoundLoop(loops.get(i), pieces.get(i).sources(), columns, inputs));
    }
  }

  private static int split(BroadcastPlan plan) {
    int dimension = plan.dimensions();
    while (dimension > 0 && plan.inner(dimension - 1) <= BLOCK) {
      dimension--;
    }
    return dimension;
  }

  private static int blockElements(BroadcastPlan plan, int split) {
    int step = plan.inner(split);
    return plan.elements() <= ONE_BLOCK
        ? plan.elements()
        : Math.min(plan.elements(), Math.max(1, BLOCK / step) * step);
  }

  private boolean isReadInPlace(int input) {
    return switch (plan.access(input)) {
      case SINGLE -> true;
      case FULL -> oneBlock && TensorMemory.offset(inputs[input]) == 0;
      case PARTIAL -> false;
    };
  }

  private Object newColumn(DataType dtype) {
    return pool.take(dtype.kind(), blockElements);
  }

  /** Computes all blocks; to be called once. */
  void run(Cancellation cancellation) {
    runBlocks(cancellation);
    for (int i = 0; i < inputs.length; i++) {
      if (!isReadInPlace(i)) {
        pool.give(inputs[i].dtype().kind(), columns[i]);
      }
    }
    for (int i = 0; i < pieces.size(); i++) {
      if (!oneBlock || i < pieces.size() - 1) {
        pool.give(pieces.get(i).program().result().kind(), columns[inputs.length + i]);
      }
    }
  }

  private void runBlocks(Cancellation cancellation) {
    int from = 0;
    while (from < plan.elements()) {
      cancellation.check();
      int count = Math.min(blockElements, plan.elements() - from);
      for (int i = 0; i < inputs.length; i++) {
        fill(i, from, count);
      }
      for (int i = 0; i < pieces.size(); i++) {
        loops.get(i).run(columns[inputs.length + i], 0, count);
      }
      if (!oneBlock) {
        outKind.copy(columns[columns.length - 1], 0, out, from, count);
      }
      from += count;
    }
  }

  private void fill(int input, int from, int count) {
    Tensor tensor = inputs[input];
    if (isReadInPlace(input)) {
      return;
    }
    ElementKind kind = tensor.dtype().kind();
    if (plan.access(input) == Access.FULL) {
      kind.copy(
          TensorMemory.array(tensor), TensorMemory.offset(tensor) + from, columns[input], 0, count);
    } else if (from == 0 || !isSameForEachBlock(input)) {
      new BroadcastCopy(plan, input, kind)
          .write(
              TensorMemory.array(tensor),
              TensorMemory.offset(tensor),
              columns[input],
              from,
              from + count,
              split);
    }
  }

  private boolean isSameForEachBlock(int input) {
    boolean same = true;
    for (int i = 0; i < split; i++) {
      same &= !plan.varies(input, i);
    }
    return same && split < plan.dimensions();
  }
}
