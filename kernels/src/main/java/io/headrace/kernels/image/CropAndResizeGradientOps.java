package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/**
 * CropAndResizeGradImage and CropAndResizeGradBoxes: the gradients of crops by the images, and by
 * the corners of the boxes.
 */
final class CropAndResizeGradientOps {
  private static final String NOT_FINITE =
      "Boxes that are not finite are INVALID_ARGUMENT, as of CropAndResize.";

  private CropAndResizeGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "CropAndResizeGradImage(grads: float, boxes: float, box_ind: int32,"
                    + " image_size: int32) -> output: T")
            .attrs("T: {float, half, double}", "method: string = \"bilinear\"")
            .shape(CropAndResizeGradientOps::inferImage)
            .remark(NOT_FINITE)
            .kernel(node -> {
              boolean isNearest = isNearest(node);
              DataType dtype = node.attrs().type("T");
              return call -> call.setOutput(0, ofImage(call, dtype, isNearest));
            }),
        Op.define(
                "CropAndResizeGradBoxes(grads: float, image: T, boxes: float, box_ind: int32)"
                    + " -> output: float")
            .attrs(
                "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
                "method: string = \"bilinear\"")
            .shape(in -> List.of(in.shape(2)))
            .remark(NOT_FINITE)
            .kernel(node -> {
              if (isNearest(node)) {
                throw invalidArgument("method must be 'bilinear'nearest");
              }
              return call -> call.setOutput(0, ofBoxes(call));
            }));
  }

  private static boolean isNearest(NodeSpec node) {
    String method = node.attrs().string("method");
    if (!method.equals("bilinear") && !method.equals("nearest")) {
      throw invalidArgument("method must be 'bilinear' or 'nearest'%s", method);
    }
    return method.equals("nearest");
  }

  private static List<Shape> inferImage(ShapeFunction.Inputs in) {
    return List.of(Shapes.withRank(ShapeInputs.inferred(in, 3), 4));
  }

  private static void checkGradients(Shape gradients) {
    if (gradients.rank() != 4) {
      throw invalidArgument("grads image must be 4-D%s", gradients);
    }
    if (gradients.size(1) <= 0 || gradients.size(2) <= 0) {
      throw invalidArgument("grads dimensions must be positive");
    }
  }

  private static void checkBoxes(Shape gradients, Shape boxes, Shape indices) {
    long count = 0;
    if (boxes.elements() > 0 || indices.elements() > 0) {
      if (boxes.rank() != 2) {
        throw invalidArgument("boxes must be 2-D%s", boxes);
      }
      if (boxes.size(1) != 4) {
        throw invalidArgument("boxes must have 4 columns");
      }
      if (indices.rank() != 1) {
        throw invalidArgument("box_index must be 1-D%s", indices);
      }
      if (indices.size(0) != boxes.size(0)) {
        throw invalidArgument("box_index has incompatible shape");
      }
      count = boxes.size(0);
    }
    if (gradients.size(0) != count) {
      throw invalidArgument("boxes and grads have incompatible shape");
    }
  }

  private static void checkValues(Tensor boxes, Tensor indices, long batch) {
    for (int i = 0; i < indices.elements(); i++) {
      if (indices.integer(i) < 0 || indices.integer(i) >= batch) {
        throw StatusException.of(
            StatusCode.OUT_OF_RANGE, "box_index has values outside [0, batch_size)");
      }
    }
    for (float corner : boxes.floats()) {
      if (!Float.isFinite(corner)) {
        throw invalidArgument("Boxes contains at least one element that is not finite");
      }
    }
  }

  private static Tensor ofImage(KernelCall call, DataType dtype, boolean isNearest) {
    Shape gradients = call.input(0).shape();
    Tensor size = call.input(3);
    checkGradients(gradients);
    checkBoxes(gradients, call.input(1).shape(), call.input(2).shape());
    if (size.shape().rank() != 1) {
      throw invalidArgument("image_size must be 1-D%s", size.shape());
    }
    if (size.elements() != 4) {
      throw invalidArgument("image_size must have 4 elements%s", size.shape());
    }
    if (size.integer(1) <= 0 || size.integer(2) <= 0) {
      throw invalidArgument("image dimensions must be positive");
    }
    if (gradients.size(3) != size.integer(3)) {
      throw invalidArgument("image_size and grads are incompatible");
    }
    if (size.integer(0) < 0) {
      throw invalidArgument("Expected a non-negative size, got %d", size.integer(0));
    }
    Shape images = Shape.of(size.integers());
    Object sums = TensorLimit.allocate(dtype, images);
    checkValues(call.input(1), call.input(2), images.size(0));
    Crops crops = new Crops(call, call.input(1), call.input(2), gradients, images);
    crops.forEach((image, y, x, gradient) -> {
      if (isNearest) {
        add(dtype, sums, crops.at(image, Math.round(y), Math.round(x)), gradient);
        return;
      }
      int top = (int) Math.floor(y);
      int left = (int) Math.floor(x);
      int bottom = (int) Math.ceil(y);
      int right = (int) Math.ceil(x);
      float down = y - top;
      float across = x - left;
      float upper = (1 - down) * gradient;
      add(dtype, sums, crops.at(image, top, left), (1 - across) * upper);
      add(dtype, sums, crops.at(image, top, right), across * upper);
      float lower = down * gradient;
      add(dtype, sums, crops.at(image, bottom, left), (1 - across) * lower);
      add(dtype, sums, crops.at(image, bottom, right), across * lower);
    });
    return Tensor.wrap(dtype, images, sums);
  }

  /** Adds {@code term}, rounded to {@code dtype}. */
  private static void add(DataType dtype, Object sums, int at, float term) {
    switch (sums) {
      case float[] a -> a[at] += term;
      case double[] a -> a[at] += term;
      default -> {
        float rounded = NumericElements.half(dtype, NumericElements.toHalf(dtype, term));
        double sum = NumericElements.floating(dtype, sums, at) + rounded;
        NumericElements.setFloating(dtype, sums, at, sum);
      }
    }
  }

  private static Tensor ofBoxes(KernelCall call) {
    Shape gradients = call.input(0).shape();
    Shape images = call.input(1).shape();
    checkGradients(gradients);
    if (images.rank() != 4) {
      throw invalidArgument("input image must be 4-D%s", images);
    }
    if (images.size(1) <= 0 || images.size(2) <= 0) {
      throw invalidArgument("image dimensions must be positive");
    }
    if (images.size(3) != gradients.size(3)) {
      throw invalidArgument("image, grads depth differ");
    }
    checkBoxes(gradients, call.input(2).shape(), call.input(3).shape());
    checkValues(call.input(2), call.input(3), images.size(0));
    Shape result = Shape.of(gradients.size(0), 4);
    float[] sums = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    Crops crops = new Crops(call, call.input(2), call.input(3), gradients, images);
    float[] pixels = ImageFloats.of(call.input(1));
    crops.forEach((image, y, x, gradient) -> {
      int top = (int) Math.floor(y);
      int left = (int) Math.floor(x);
      int bottom = (int) Math.ceil(y);
      int right = (int) Math.ceil(x);
      float topLeft = pixels[crops.at(image, top, left)];
      float topRight = pixels[crops.at(image, top, right)];
      float bottomLeft = pixels[crops.at(image, bottom, left)];
      float bottomRight = pixels[crops.at(image, bottom, right)];
      float down = y - top;
      float across = x - left;
      float byY = (1 - across) * (bottomLeft - topLeft) + across * (bottomRight - topRight);
      float byX = (1 - down) * (topRight - topLeft) + down * (bottomRight - bottomLeft);
      crops.addCorners(sums, byY * gradient, byX * gradient);
    });
    return Tensor.wrap(DataType.FLOAT32, result, sums);
  }

  /** Takes the gradient of an element of a crop. */
  @FunctionalInterface
  private interface Element {
    /** Takes the {@code gradient} of the element at row {@code y}, column {@code x} of an image. */
    void take(int image, float y, float x, float gradient);
  }

  /** The walk over the elements of crops that are within their images. */
  private static final class Crops {
    private final KernelCall call;
    private final float[] corners;
    private final Tensor indices;
    private final Shape gradients;
    private final int height;
    private final int width;
    private final int channels;

    private int box;
    private int row;
    private int column;
    private int channel;

    Crops(KernelCall call, Tensor boxes, Tensor indices, Shape gradients, Shape images) {
      this.call = call;
      this.corners = boxes.floats();
      this.indices = indices;
      this.gradients = gradients;
      this.height = (int) images.size(1);
      this.width = (int) images.size(2);
      this.channels = (int) images.size(3);
    }

    void forEach(Element element) {
      float[] values = call.input(0).floats();
      int rows = (int) gradients.size(1);
      int columns = (int) gradients.size(2);
      for (box = 0; box < gradients.size(0); box++) {
        call.cancellation().check();
        float[] ys =
            CropAndResizeOps.coordinates(corners[4 * box], corners[4 * box + 2], height, rows);
        float[] xs =
            CropAndResizeOps.coordinates(
                corners[4 * box + 1], corners[4 * box + 3], width, columns);
        for (row = 0; row < rows; row++) {
          for (column = 0; column < columns; column++) {
            float y = ys[row];
            float x = xs[column];
            if (y >= 0 && y <= height - 1 && x >= 0 && x <= width - 1) {
              int at = ((box * rows + row) * columns + column) * channels;
              for (channel = 0; channel < channels; channel++) {
                element.take((int) indices.integer(box), y, x, values[at + channel]);
              }
            }
          }
        }
      }
    }

    /** The index of the current channel of a pixel. */
    int at(int image, int y, int x) {
      return ((image * height + y) * width + x) * channels + channel;
    }

    /** Adds the gradient of the current element to that of its box's corners. */
    void addCorners(float[] sums, float byY, float byX) {
      addSide(sums, 4 * box, byY, row, (int) gradients.size(1), height);
      addSide(sums, 4 * box + 1, byX, column, (int) gradients.size(2), width);
    }

    private static void addSide(
        float[] sums, int at, float gradient, int index, int count, int size) {
      if (count > 1) {
        float ratio = (float) (size - 1) / (count - 1);
        sums[at] += gradient * (size - 1 - index * ratio);
        sums[at + 2] += gradient * (index * ratio);
      } else {
        sums[at] = (float) (sums[at] + gradient * 0.5 * (size - 1));
        sums[at + 2] = (float) (sums[at + 2] + gradient * 0.5 * (size - 1));
      }
    }
  }
}
