package io.headrace.kernels.elementwise;

import io.headrace.runtime.elementwise.BroadcastCopy;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Fold;
import io.headrace.runtime.expression.GeneratedLoops;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.BitSet;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** A reduction along any set of axes by a generated fold. Thread-safe. */
public final class Reduction {
  /*
   * Adjacent axes that are all kept or all reduced are collapsed. The collapsed reduced axes are
   * folded one after the other, from the innermost outwards: by rows if no axis lies within, by
   * columns otherwise. The first fold reads elements, the later ones read accumulators.
   */

  /** Elements of a block of columns: two blocks fit into the processor's first cache. */
  private static final int BLOCK = 1024;

  /** Longer rows are folded into a block of accumulators first, whose order is that of columns. */
  private static final int MAX_SCALAR_ROW = 4 * BLOCK;

  /** Narrower runs are not worth copying. */
  private static final int MIN_BLOCK = 16;

  private final DataType total;
  private final Tensor identity;
  private final Fold first;
  private final Fold further;
  private final ElementwiseKernel finish;

  /**
   * A reduction of elements of {@code element}.
   *
   * @param combine combines two accumulators
   * @param identity the identity of {@code combine}, a constant; its dtype is the accumulator type
   * @param finish the result, from the accumulator and the number of elements, both in the
   *     accumulator type
   */
  Reduction(
      DataType element,
      BinaryOperator<Expression> combine,
      Expression identity,
      BinaryOperator<Expression> finish) {
    this(element, UnaryOperator.identity(), combine, identity, finish);
  }

  /**
   * A reduction of mapped elements.
   *
   * @param each maps an element, converted to the accumulator type, before it is combined
   */
  Reduction(
      DataType element,
      UnaryOperator<Expression> each,
      BinaryOperator<Expression> combine,
      Expression identity,
      BinaryOperator<Expression> finish) {
    this.total = identity.dtype();
    Expression one = new Expression.Input(0, total);
    Expression two = new Expression.Input(1, total);
    LoopProgram combined = LoopProgram.of(combine.apply(one, two), List.of(total, total));
    Expression value = new Expression.Input(0, element);
    this.first =
        GeneratedLoops.fold(
            combined, LoopProgram.of(each.apply(value.convert(total)), List.of(element)), identity);
    this.further = GeneratedLoops.fold(combined, LoopProgram.of(one, List.of(total)), identity);
    this.identity = ElementwiseKernel.of(identity, List.of(DataType.INT32)).apply(Tensor.scalar(0));
    Expression count = new Expression.Input(1, DataType.INT64);
    this.finish =
        ElementwiseKernel.of(
            finish.apply(one, count.convert(total)), List.of(total, DataType.INT64));
  }

  /**
   * Reduces {@code input} along {@code axes}.
   *
   * @param output the shape of the result: {@code input}'s without {@code axes}, or with size 1
   *     along them
   */
  public Tensor run(Tensor input, BitSet axes, Shape output, Cancellation cancellation) {
    Tensor totals = totals(input, axes, cancellation).reshape(output);
    long count = output.elements() == 0 ? 0 : input.elements() / output.elements();
    return finish.apply(totals, Tensor.scalar(count));
  }

  private Tensor totals(Tensor input, BitSet axes, Cancellation cancellation) {
    int begin = axes.previousClearBit(axes.length() - 1) + 1;
    Tensor current = folded(first, input, begin, axes.length());
    for (int i = axes.previousSetBit(begin - 1); i >= 0; i = axes.previousSetBit(begin - 1)) {
      cancellation.check();
      begin = axes.previousClearBit(i) + 1;
      current = folded(further, current, begin, i + 1);
    }
    return current;
  }

  /** Folds the axes {@code begin} to {@code end - 1} of {@code input}, which keep size 1. */
  private Tensor folded(Fold fold, Tensor input, int begin, int end) {
    Shape outside = input.shape().sub(0, begin);
    Shape inside = input.shape().sub(end, input.shape().rank());
    int length = begin == end ? 1 : input.shape().sub(begin, end).elements();
    int width = inside.elements();
    Shape shape = withOnes(outside, end - begin, inside);
    Object out = identities(shape);
    if (input.elements() > 0) {
      if (width == 1 && length > MAX_SCALAR_ROW && !total.isComplex()) {
        foldLongRows(fold, input, out, outside.elements(), length);
      } else if (width == 1) {
        fold.rows(
            TensorMemory.array(input), TensorMemory.offset(input), out, outside.elements(), length);
      } else if (width >= MIN_BLOCK && !total.isComplex()) {
        foldBlocks(fold, input, out, outside.elements(), length, width);
      } else {
        fold.columns(
            TensorMemory.array(input),
            TensorMemory.offset(input),
            out,
            outside.elements(),
            length,
            width);
      }
    }
    return Tensor.wrap(total, shape, out);
  }

  /** As {@link Fold#rows}: accumulator i of a block takes the elements i, i + BLOCK, ... */
  private void foldLongRows(Fold fold, Tensor input, Object out, int rows, int length) {
    ElementKind kind = input.dtype().kind();
    Object elements = kind.newArray(BLOCK);
    Object totals = identities(Shape.of(BLOCK));
    for (int row = 0; row < rows; row++) {
      int in = TensorMemory.offset(input) + row * length;
      BroadcastCopy.fill(total.kind(), TensorMemory.array(identity), 0, totals, 0, BLOCK);
      for (int from = 0; from < length; from += BLOCK) {
        int count = Math.min(BLOCK, length - from);
        kind.copy(TensorMemory.array(input), in + from, elements, 0, count);
        fold.pairs(elements, totals, count);
      }
      Object all = identities(Shape.SCALAR);
      further.rows(totals, 0, all, 1, BLOCK);
      total.kind().copy(all, 0, out, row, 1);
    }
  }

  /** As {@link Fold#columns}, on copies of blocks of columns. */
  private void foldBlocks(Fold fold, Tensor input, Object out, int groups, int length, int width) {
    ElementKind kind = input.dtype().kind();
    int block = Math.min(width, BLOCK);
    Object elements = kind.newArray(block);
    Object totals = total.kind().newArray(block);
    for (int group = 0; group < groups; group++) {
      int in = TensorMemory.offset(input) + group * length * width;
      for (int from = 0; from < width; from += block) {
        int count = Math.min(block, width - from);
        total.kind().copy(out, group * width + from, totals, 0, count);
        for (int run = 0; run < length; run++) {
          kind.copy(TensorMemory.array(input), in + run * width + from, elements, 0, count);
          fold.pairs(elements, totals, count);
        }
        total.kind().copy(totals, 0, out, group * width + from, count);
      }
    }
  }

  /** The folded shape; its rank does not change, so axes keep their numbers. */
  private static Shape withOnes(Shape outside, int ones, Shape inside) {
    Shape shape = inside;
    for (int i = 0; i < ones; i++) {
      shape = shape.prepend(1);
    }
    for (int i = outside.rank() - 1; i >= 0; i--) {
      shape = shape.prepend(outside.size(i));
    }
    return shape;
  }

  private Object identities(Shape shape) {
    Object array = TensorLimit.allocate(total, shape);
    BroadcastCopy.fill(total.kind(), TensorMemory.array(identity), 0, array, 0, shape.elements());
    return array;
  }
}
