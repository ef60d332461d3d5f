package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** DrawBoundingBoxes and its V2: the outlines of boxes, a pixel wide, over images. */
final class DrawBoundingBoxesOps {
  private static final String TYPES = "T: {float, half} = float";

  /** The colors of the boxes without input colors, in turn: red, green, blue and alpha. */
  private static final float[][] DEFAULT_COLORS = {
    {1, 1, 0, 1},
    {0, 0, 1, 1},
    {1, 0, 0, 1},
    {0, 1, 0, 1},
    {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1},
    {0.5f, 0, 0, 1},
    {0, 0, 0.5f, 1},
    {0, 1, 1, 1},
    {1, 0, 1, 1},
  };

  private static final float[][] DEFAULT_GRAYS = {{1}};

  private DrawBoundingBoxesOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DrawBoundingBoxes(images: T, boxes: float) -> output: T")
            .attrs(TYPES)
            .shape(DrawBoundingBoxesOps::infer)
            .stateless(DrawBoundingBoxesOps::draw),
        Op.define("DrawBoundingBoxesV2(images: T, boxes: float, colors: float) -> output: T")
            .attrs(TYPES)
            .shape(DrawBoundingBoxesOps::inferV2)
            .stateless(DrawBoundingBoxesOps::draw));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    if (images.size(3) >= 0) {
      checkDepth(images.size(3));
    }
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 3).size(2), 4);
    return List.of(in.shape(0));
  }

  private static List<Shape> inferV2(ShapeFunction.Inputs in) {
    Shapes.checkRankAtLeast(in.shape(0), 3);
    return List.of(in.shape(0));
  }

  private static void checkDepth(long depth) {
    if (depth != 1 && depth != 3 && depth != 4) {
      throw invalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
    }
  }

  private static void draw(KernelCall call) {
    Tensor images = call.input(0);
    Tensor boxes = call.input(1);
    check(images.shape(), boxes.shape());
    float[][] colors = colors(call, (int) images.shape().size(3));
    Object out = TensorLimit.allocate(images.dtype(), images.shape());
    images
        .dtype()
        .kind()
        .copy(TensorMemory.array(images), TensorMemory.offset(images), out, 0, images.elements());
    Canvas canvas = new Canvas(images.dtype(), images.shape(), out);
    float[] corners = boxes.floats();
    int perImage = (int) boxes.shape().size(1);
    for (int i = 0; i < images.shape().size(0) * perImage; i++) {
      call.cancellation().check();
      canvas.draw(i / perImage, corners, 4 * i, colors[i % perImage % colors.length]);
    }
    call.setOutput(0, Tensor.wrap(images.dtype(), images.shape(), out));
  }

  private static void check(Shape images, Shape boxes) {
    if (images.rank() != 4) {
      throw invalidArgument("The rank of the images should be 4");
    }
    if (boxes.rank() != 3) {
      throw invalidArgument("The rank of the boxes tensor should be 3");
    }
    if (images.size(0) != boxes.size(0)) {
      throw invalidArgument("The batch sizes should be the same");
    }
    checkDepth(images.size(3));
    if (boxes.size(2) != 4) {
      throw invalidArgument(
          "The size of the third dimension of the box must be 4. Received: %d", boxes.size(2));
    }
  }

  private static float[][] colors(KernelCall call, int depth) {
    float[][] defaults = depth == 1 ? DEFAULT_GRAYS : DEFAULT_COLORS;
    if (call.inputs() < 3) {
      return defaults;
    }
    Shape shape = call.input(2).shape();
    if (shape.rank() != 2) {
      throw invalidArgument("colors must be a 2-D matrix%s", shape);
    }
    if (shape.size(1) < depth) {
      throw invalidArgument(
          "colors must have equal or more channels than the image provided: %s", shape);
    }
    if (shape.elements() == 0) {
      return defaults;
    }
    float[][] colors = new float[(int) shape.size(0)][(int) shape.size(1)];
    float[] given = call.input(2).floats();
    for (int i = 0; i < colors.length; i++) {
      System.arraycopy(given, i * colors[i].length, colors[i], 0, colors[i].length);
    }
    return colors;
  }

  /** The images that are drawn on. */
  private record Canvas(DataType dtype, Shape shape, Object array) {
    private long height() {
      return shape.size(1);
    }

    private long width() {
      return shape.size(2);
    }

    /** Draws the box whose corners begin at {@code at}: top, left, bottom and right. */
    void draw(int image, float[] corners, int at, float[] color) {
      long top = ImageFloats.truncated(corners[at] * (height() - 1));
      long left = ImageFloats.truncated(corners[at + 1] * (width() - 1));
      long bottom = ImageFloats.truncated(corners[at + 2] * (height() - 1));
      long right = ImageFloats.truncated(corners[at + 3] * (width() - 1));
      boolean isInverted = top > bottom || left > right;
      boolean isOutside = top >= height() || bottom < 0 || left >= width() || right < 0;
      if (isInverted || isOutside || height() == 0 || width() == 0) {
        return;
      }
      long firstRow = Math.max(top, 0);
      long lastRow = Math.min(bottom, height() - 1);
      long firstColumn = Math.max(left, 0);
      long lastColumn = Math.min(right, width() - 1);
      fill(image, top, top, firstColumn, lastColumn, color);
      fill(image, bottom, bottom, firstColumn, lastColumn, color);
      fill(image, firstRow, lastRow, left, left, color);
      fill(image, firstRow, lastRow, right, right, color);
    }

    /** Fills rows and columns, both ends included, unless they are outside of the image. */
    private void fill(int image, long top, long bottom, long left, long right, float[] color) {
      if (top < 0 || bottom >= height() || left < 0 || right >= width()) {
        return;
      }
      int depth = (int) shape.size(3);
      for (long y = top; y <= bottom; y++) {
        for (long x = left; x <= right; x++) {
          int pixel = (int) (((image * height() + y) * width() + x) * depth);
          for (int c = 0; c < depth; c++) {
            NumericElements.setFloating(dtype, array, pixel + c, color[c]);
          }
        }
      }
    }
  }
}
