package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SpaceToBatchND cuts the spatial dimensions into blocks and moves each position within a block to
 * the batch dimension; BatchToSpaceND is the inverse. SpaceToBatch and BatchToSpace do so with
 * images.
 */
final class SpaceToBatchOps {
  /** Batch, height, width and depth. */
  private static final int IMAGE_RANK = 4;

  private SpaceToBatchOps() {}

  static List<Op> ops() {
    return List.of(
        op("SpaceToBatchND", "paddings", true),
        op("BatchToSpaceND", "crops", false),
        imageOp("SpaceToBatch", "paddings", "Tpaddings", true),
        imageOp("BatchToSpace", "crops", "Tidx", false));
  }

  /** An op on images, whose blocks are squares of attr block_size. */
  private static Op imageOp(String name, String margins, String type, boolean toBatch) {
    return Op.define("%s(input: T, %s: %s) -> output: T".formatted(name, margins, type))
        .attrs("T: fixedwidth", type + ": {int32, int64} = int32", "block_size: int")
        .shape(in -> inferImages(in, margins, toBatch))
        .kernel(node -> {
          Tensor block = square(node.attrs());
          return call -> {
            if (call.input(0).shape().rank() != IMAGE_RANK) {
              throw invalidArgument(
                  "Input rank should be: %dinstead of: %d",
                  IMAGE_RANK, call.input(0).shape().rank());
            }
            compute(call, Blocks.of(margins, block, call.input(1)), toBatch);
          };
        });
  }

  private static Tensor square(Attrs attrs) {
    long size = attrs.integer("block_size");
    if (size < 2) {
      throw invalidArgument("Block size should be > 1: %d", size);
    }
    return Tensor.vector(size, size);
  }

  private static List<Shape> inferImages(ShapeFunction.Inputs in, String margins, boolean toBatch) {
    Shape input = Shapes.withRank(in.shape(0), IMAGE_RANK);
    Shape margin = Shapes.withRank(in.shape(1), 2);
    Shapes.mergeSize(margin.size(0), 2);
    Shapes.mergeSize(margin.size(1), 2);
    Tensor block = square(in.attrs());
    Tensor widths = in.constant(1);
    return List.of(
        widths == null
            ? unknown(input, 2, block, toBatch)
            : Blocks.of(margins, block, widths).result(input, toBatch));
  }

  private static Op op(String name, String margins, boolean toBatch) {
    return Op.define(
            "%s(input: T, block_shape: Tblock_shape, %s: T%s) -> output: T"
                .formatted(name, margins, margins))
        .attrs(
            "T: fixedwidth",
            "Tblock_shape: {int32, int64} = int32",
            "T" + margins + ": {int32, int64} = int32")
        .shape(in -> infer(in, margins, toBatch))
        .kernel(
            _ -> call -> compute(call, Blocks.of(margins, call.input(1), call.input(2)), toBatch));
  }

  private static void compute(KernelCall call, Blocks blocks, boolean toBatch) {
    Tensor input = call.input(0);
    blocks.check(input.shape());
    Shape result = blocks.result(input.shape(), toBatch);
    Object array = TensorLimit.allocate(input.dtype(), result);
    blocks.move(input, result, array, toBatch, call.cancellation());
    call.setOutput(0, Tensor.wrap(input.dtype(), result, array));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in, String margins, boolean toBatch) {
    Shape input = in.shape(0);
    Shape block = Shapes.withRank(in.shape(1), 1);
    Shape margin = Shapes.withRank(in.shape(2), 2);
    Shapes.mergeSize(margin.size(1), 2);
    long dimensions = Shapes.mergeSize(block.size(0), margin.size(0));
    if (dimensions < 0) {
      return List.of(Shape.UNKNOWN);
    }
    Shapes.checkRankAtLeast(input, (int) dimensions + 1);
    Tensor sizes = in.constant(1);
    Tensor widths = in.constant(2);
    if (input.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    if (sizes != null && widths != null) {
      return List.of(Blocks.of(margins, sizes, widths).result(input, toBatch));
    }
    return List.of(unknown(input, (int) dimensions, sizes, toBatch));
  }

  /** The output shape if block sizes or margins are not constant. */
  private static Shape unknown(
      Shape input, int dimensions, @Nullable Tensor sizes, boolean toBatch) {
    long[] result = input.dimensions();
    Arrays.fill(result, 0, dimensions + 1, Shape.UNKNOWN_DIMENSION);
    if (sizes != null && toBatch) {
      result[0] = Shapes.multiply(input.size(0), product(sizes.integers()));
    }
    return Shape.of(result);
  }

  private static long product(long[] sizes) {
    return Arrays.stream(sizes).reduce(1, Shapes::multiply);
  }

  /**
   * Block sizes and margins.
   *
   * @param name the name of the margins in messages: paddings or crops
   * @param sizes the size of a block along each spatial dimension
   * @param margins the padding or crop before and after each spatial dimension
   */
  @SuppressWarnings("ArrayRecordComponent") // records are not compared
  private record Blocks(String name, long[] sizes, long[] margins) {
    static Blocks of(String name, Tensor sizes, Tensor margins) {
      if (sizes.shape().rank() != 1) {
        throw invalidArgument("block_shape rank should be 1 instead of %d", sizes.shape().rank());
      }
      if (!margins.shape().equals(Shape.of(sizes.elements(), 2))) {
        throw invalidArgument(
            "%s should have shape [%d, 2] instead of %s", name, sizes.elements(), margins.shape());
      }
      for (long size : sizes.integers()) {
        if (size < 1) {
          throw invalidArgument("All values in block_shape must be positive, got value, %d", size);
        }
      }
      for (long width : margins.integers()) {
        if (width < 0) {
          throw invalidArgument("%s must be non-negative, got %d", name, width);
        }
      }
      return new Blocks(name, sizes.integers(), margins.integers());
    }

    void check(Shape input) {
      if (input.rank() < sizes.length + 1) {
        throw invalidArgument(
            "input rank should be >= %d instead of %d", sizes.length + 1, input.rank());
      }
    }

    Shape result(Shape input, boolean toBatch) {
      long[] result = input.dimensions();
      long batches = product(sizes);
      if (toBatch) {
        result[0] = Shapes.multiply(result[0], batches);
      } else if (result[0] >= 0) {
        if (result[0] % batches != 0) {
          throw invalidArgument(
              "Input batch dimension (%d) is not divisible by product of block sizes (%d)",
              result[0], batches);
        }
        result[0] /= batches;
      }
      for (int axis = 0; axis < sizes.length; axis++) {
        result[axis + 1] = size(axis, input.size(axis + 1), toBatch);
      }
      return Shape.of(result);
    }

    private long size(int axis, long in, boolean toBatch) {
      long around = Shapes.add(margins[2 * axis], margins[2 * axis + 1]);
      if (in < 0) {
        return Shape.UNKNOWN_DIMENSION;
      }
      if (!toBatch) {
        long size = Shapes.multiply(in, sizes[axis]) - around;
        if (size < 0) {
          throw invalidArgument(
              "crops of %d are more than the %d of dimension %d", around, size + around, axis + 1);
        }
        return size;
      }
      long padded = Shapes.add(in, around);
      if (padded % sizes[axis] != 0) {
        throw invalidArgument(
            "padded_shape[%d]=%d is not divisible by block_shape[%d]=%d",
            axis, padded, axis, sizes[axis]);
      }
      return padded / sizes[axis];
    }

    /** Copies all elements, one position within the blocks after the other. */
    void move(Tensor input, Shape result, Object to, boolean toBatch, Cancellation stop) {
      Shape space = toBatch ? input.shape() : result;
      Shape batches = toBatch ? result : input.shape();
      long positions = product(sizes);
      for (long position = 0; position < positions; position++) {
        movePosition(input, to, space, batches, position, toBatch, stop);
      }
    }

    private void movePosition(
        Tensor input,
        Object to,
        Shape space,
        Shape batches,
        long position,
        boolean toBatch,
        Cancellation stop) {
      int images = (int) space.size(0);
      int inner = space.sub(sizes.length + 1, space.rank()).elements();
      int[] spaceSteps = steps(space, inner);
      int[] batchSteps = steps(batches, inner);
      StridedMove move = new StridedMove(input.dtype().kind());
      dimension(move, images, spaceSteps[0], batchSteps[0], toBatch);
      int inSpace = 0;
      int inBatches = (int) position * images * batchSteps[0];
      for (int axis = 0; axis < sizes.length; axis++) {
        long offset = coordinate(position, axis) - margins[2 * axis];
        // The first block whose element is within the space, and the first whose element is beyond.
        long first = Math.max(0, Math.ceilDiv(-offset, sizes[axis]));
        long end = Math.ceilDiv(space.size(axis + 1) - offset, sizes[axis]);
        long count = Math.max(0, Math.min(end, batches.size(axis + 1)) - first);
        inSpace += (int) (offset + first * sizes[axis]) * spaceSteps[axis + 1];
        inBatches += (int) first * batchSteps[axis + 1];
        dimension(
            move,
            (int) count,
            (int) sizes[axis] * spaceSteps[axis + 1],
            batchSteps[axis + 1],
            toBatch);
      }
      move.dimension(inner, 1, 1);
      move.run(
          TensorMemory.array(input),
          TensorMemory.offset(input) + (toBatch ? inSpace : inBatches),
          to,
          toBatch ? inBatches : inSpace,
          stop);
    }

    private static void dimension(
        StridedMove move, int size, int spaceStep, int batchStep, boolean toBatch) {
      move.dimension(size, toBatch ? spaceStep : batchStep, toBatch ? batchStep : spaceStep);
    }

    /** The coordinate of a position within the block along {@code axis}. */
    private long coordinate(long position, int axis) {
      long rest = position;
      for (int inner = sizes.length - 1; inner > axis; inner--) {
        rest /= sizes[inner];
      }
      return rest % sizes[axis];
    }

    /** The strides of the batch dimension and of each spatial dimension, in elements. */
    private int[] steps(Shape shape, int inner) {
      int[] steps = new int[sizes.length + 1];
      int step = inner;
      for (int axis = sizes.length; axis >= 0; axis--) {
        steps[axis] = step;
        step *= (int) shape.size(axis);
      }
      return steps;
    }
  }
}
