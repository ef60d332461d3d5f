package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** Ops that lay patches of images side by side, or blocks of pixels one over the other. */
final class ImagePatchOps {
  private ImagePatchOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ExtractImagePatches(images: T) -> patches: T")
            .attrs(
                "ksizes: list(int)",
                "strides: list(int)",
                "rates: list(int)",
                "T: fixedwidth",
                "padding: string")
            .shape(in -> List.of(patchShape(in.shape(0), in.attrs())))
            .kernel(ImagePatchOps::patches),
        depthOp("SpaceToDepth", true),
        depthOp("DepthToSpace", false));
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

  /** Height and width of two of the attrs that have a number for each dimension. */
  private static Window window(Attrs attrs, String name) {
    List<Long> sizes = attrs.integers(name);
    if (sizes.size() != 4) {
      throw invalidArgument("%s must have a number for each of 4 dimensions: %s", name, sizes);
    }
    if (sizes.get(0) != 1 || sizes.get(3) != 1) {
      throw StatusException.unimplemented(
          "%s must be 1 for the batch and depth dimensions: %s", name, sizes);
    }
    if (sizes.get(1) <= 0 || sizes.get(2) <= 0) {
      throw StatusException.of(StatusCode.OUT_OF_RANGE, "%s is out of range: %s", name, sizes);
    }
    return new Window(Math.toIntExact(sizes.get(1)), Math.toIntExact(sizes.get(2)));
  }

  private record Window(int height, int width) {}

  private static Shape patchShape(Shape input, Attrs attrs) {
    Shape images = Shapes.withRank(input, 4);
    Window size = window(attrs, "ksizes");
    Window stride = window(attrs, "strides");
    Window rate = window(attrs, "rates");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    long height = padding.outSize(images.size(1), size.height, stride.height, rate.height);
    long width = padding.outSize(images.size(2), size.width, stride.width, rate.width);
    long depth = Shapes.multiply(images.size(3), (long) size.height * size.width);
    return Shape.of(images.size(0), height, width, depth);
  }

  private static Kernel.Sync patches(NodeSpec node) {
    Attrs attrs = node.attrs();
    Window size = window(attrs, "ksizes");
    Window stride = window(attrs, "strides");
    Window rate = window(attrs, "rates");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    return call -> {
      Shape shape = call.input(0).shape();
      if (shape.rank() != 4) {
        throw invalidArgument("input must be 4-dimensional%s", shape);
      }
      SlidingAxis y = padding.axis((int) shape.size(1), size.height, stride.height, rate.height);
      SlidingAxis x = padding.axis((int) shape.size(2), size.width, stride.width, rate.width);
      call.setOutput(0, patches(call, y, x));
    };
  }

  private static Tensor patches(KernelCall call, SlidingAxis y, SlidingAxis x) {
    Tensor images = call.input(0);
    Shape shape = images.shape();
    int channels = (int) shape.size(3);
    int depth = Math.toIntExact((long) y.window() * x.window() * channels);
    Shape result = Shape.of(shape.size(0), y.out(), x.out(), depth);
    Object array = TensorLimit.allocate(images.dtype(), result);
    int at = 0;
    for (int b = 0; b < shape.size(0); b++) {
      for (int i = 0; i < y.out() * x.out(); i++) {
        call.cancellation().check();
        for (int ky = 0; ky < y.window(); ky++) {
          int row = y.index(i / x.out(), ky);
          for (int kx = 0; kx < x.window(); kx++) {
            int column = x.index(i % x.out(), kx);
            if (row >= 0 && column >= 0) {
              int from = ((b * y.in() + row) * x.in() + column) * channels;
              images
                  .dtype()
                  .kind()
                  .copy(images.array(), images.offset() + from, array, at, channels);
            }
            at += channels;
          }
        }
      }
    }
    return Tensor.of(images.dtype(), result, array);
  }

  private static int blockSize(Attrs attrs) {
    long block = attrs.integer("block_size");
    if (block < 2 || block > Short.MAX_VALUE) {
      throw invalidArgument("Block size should be > 1, and is %d", block);
    }
    return (int) block;
  }

  private static Shape depthShape(ShapeRule.Inputs in, boolean toDepth) {
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

  /** A size times, or divided by, the block size to the power {@code power}. */
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
    Shape wide = toDepth ? shape : result; // where blocks lie apart
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
    move.run(input.array(), input.offset(), array, 0, rows.cancellation());
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
