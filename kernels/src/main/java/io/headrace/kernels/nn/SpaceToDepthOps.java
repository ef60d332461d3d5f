package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ops SpaceToDepth and DepthToSpace: blocks of pixels become channels, and back. */
final class SpaceToDepthOps {
  private SpaceToDepthOps() {}

  static List<Op> ops() {
    return List.of(depthOp("SpaceToDepth", true), depthOp("DepthToSpace", false));
  }

  private static Op depthOp(String name, boolean toDepth) {
    return Op.define(name + "(input: T) -> output: T")
        .attrs("T: type", "block_size: int", "data_format: string = \"NHWC\"")
        .shape(in -> List.of(depthShape(in, toDepth)))
        .kernel(
            RowKernel.made(node -> {
              int block = blockSize(node.attrs());
              String format = node.attrs().string("data_format");
              if (!format.equals("NHWC")) {
                throw invalidArgument("Only NHWC data_format supported on CPU. Got %s", format);
              }
              return rows -> moveBlocks(rows, block, toDepth);
            }));
  }

  private static int blockSize(Attrs attrs) {
    long block = attrs.integer("block_size");
    if (block < 2 || block > Short.MAX_VALUE) {
      throw invalidArgument("Block size should be > 1, and is %d", block);
    }
    return (int) block;
  }

  private static Shape depthShape(ShapeFunction.Inputs in, boolean toDepth) {
    int block = blockSize(in.attrs());
    String format = in.attrs().string("data_format");
    if (format.equals("NCHW_VECT_C")) {
      return Shape.UNKNOWN;
    }
    Shape input = Shapes.withRank(in.shape(0), 4);
    boolean channelsFirst = format.equals("NCHW");
    int depth = channelsFirst ? 1 : 3;
    int height = channelsFirst ? 2 : 1;
    Shape result = Shapes.withSize(input, depth, scaled(input.size(depth), block, toDepth, 2));
    result = Shapes.withSize(result, height, scaled(input.size(height), block, !toDepth, 1));
    return Shapes.withSize(result, height + 1, scaled(input.size(height + 1), block, !toDepth, 1));
  }

  /** {@code size} multiplied or divided by the block size to the power {@code power}, 1 or 2. */
  private static long scaled(long size, int block, boolean times, int power) {
    long factor = power == 2 ? (long) block * block : block;
    if (times) {
      return Shapes.multiply(size, factor);
    }
    if (size >= 0 && size % factor != 0) {
      throw invalidArgument(
          "Dimension size must be evenly divisible by %d but is %d", factor, size);
    }
    return size < 0 ? size : size / factor;
  }

  private static boolean moveBlocks(Rows rows, int block, boolean toDepth) {
    Shape shape = rows.shape(0);
    if (shape.rank() != 4) {
      throw invalidArgument(
          toDepth
              ? "Input rank should be 4 instead of %d"
              : "Input rank should be: 4 instead of: %d",
          shape.rank());
    }
    checkDivisible(shape, block, toDepth);
    Shape result =
        Shape.of(
            shape.size(0),
            scaled(shape.size(1), block, !toDepth, 1),
            scaled(shape.size(2), block, !toDepth, 1),
            scaled(shape.size(3), block, toDepth, 2));
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    Shape wide = toDepth ? shape : result; // the layout with the larger height and width
    Shape deep = toDepth ? result : shape;
    int depth = (int) wide.size(3);
    int line = (int) wide.size(2) * depth;
    int row = depth * block;
    StridedMove move = new StridedMove(input.dtype().kind());
    int lines = rows.count() * (int) shape.size(0) * (int) deep.size(1);
    dimension(move, lines, block * line, block * line, toDepth);
    dimension(move, (int) deep.size(2), row, row * block, toDepth);
    dimension(move, block, line, row, toDepth);
    dimension(move, row, 1, 1, toDepth);
    move.run(TensorMemory.array(input), TensorMemory.offset(input), array, 0, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static void checkDivisible(Shape shape, int block, boolean toDepth) {
    long height = shape.size(1);
    long width = shape.size(2);
    if (toDepth && (height % block != 0 || width % block != 0)) {
      throw invalidArgument(
          "Image width %d and height %d should be divisible by block_size: %d",
          width, height, block);
    }
    long blockPixels = (long) block * block;
    if (!toDepth && shape.size(3) % blockPixels != 0) {
      throw invalidArgument(
          "Input depth dimension %d should be divisible by: %d", shape.size(3), blockPixels);
    }
  }

  private static void dimension(StridedMove move, int size, int wide, int deep, boolean toDepth) {
    move.dimension(size, toDepth ? wide : deep, toDepth ? deep : wide);
  }
}
