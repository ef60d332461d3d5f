package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CropAndResize: crops boxes out of a batch of images and resizes every crop to one size. */
final class CropAndResizeOps {
  private final boolean nearest;
  private final float extrapolationValue;

  private CropAndResizeOps(NodeSpec node) {
    Attrs attrs = node.attrs();
    String method = attrs.string("method");
    if (!method.equals("bilinear") && !method.equals("nearest")) {
      throw invalidArgument("method must be 'bilinear' or 'nearest'%s", method);
    }
    this.nearest = method.equals("nearest");
    this.extrapolationValue = attrs.floating("extrapolation_value");
  }

  static List<Op> ops() {
    return List.of(
        Op.define(
                "CropAndResize(image: T, boxes: float, box_ind: int32, crop_size: int32)"
                    + " -> crops: float")
            .attrs(
                "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
                "method: string = \"bilinear\"",
                "extrapolation_value: float = 0.0")
            .shape(CropAndResizeOps::infer)
            .runsOnGpu("crop_size")
            .kernel(node -> new CropAndResizeOps(node)::compute));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape image = Shapes.withRank(in.shape(0), 4);
    Shape boxes = Shapes.withRank(in.shape(1), 2);
    Shape indices = Shapes.withRank(in.shape(2), 1);
    Shapes.mergeSize(boxes.size(1), 4);
    long count = Shapes.mergeSize(boxes.size(0), indices.size(0));
    Shapes.mergeSize(Shapes.withRank(in.shape(3), 1).size(0), 2);
    @Nullable Tensor size = in.constant(3);
    return List.of(
        Shape.of(
            count,
            size == null ? -1 : size.integer(0),
            size == null ? -1 : size.integer(1),
            image.size(3)));
  }

  private static void check(Shape image, Shape boxes, Shape indices, Tensor size) {
    if (image.rank() != 4) {
      throw invalidArgument("input image must be 4-D%s", image);
    }
    if (image.size(1) <= 0 || image.size(2) <= 0) {
      throw invalidArgument("image dimensions must be positive");
    }
    if (boxes.rank() != 2) {
      throw invalidArgument("boxes must be 2-D, got: %s", boxes);
    }
    if (indices.rank() != 1) {
      throw invalidArgument("box_indices must be rank 1 but is shape %s", indices);
    }
    if (boxes.elements() > 0 || indices.elements() > 0) {
      if (boxes.size(1) != 4) {
        throw invalidArgument("boxes must have 4 columns");
      }
      if (indices.size(0) != boxes.size(0)) {
        throw invalidArgument("box_index has incompatible shape");
      }
    }
    if (size.shape().rank() != 1) {
      throw invalidArgument("crop_size must be 1-D%s", size.shape());
    }
    if (size.elements() != 2) {
      throw invalidArgument("crop_size must have two elements%s", size.shape());
    }
    if (size.integer(0) <= 0 || size.integer(1) <= 0) {
      throw invalidArgument("crop dimensions must be positive");
    }
  }

  private void compute(KernelCall call) {
    Tensor image = call.input(0);
    Tensor boxes = call.input(1);
    Tensor indices = call.input(2);
    Tensor size = call.input(3);
    Shape shape = image.shape();
    check(shape, boxes.shape(), indices.shape(), size);
    int count = indices.elements();
    for (int i = 0; i < count; i++) {
      if (indices.integer(i) < 0 || indices.integer(i) >= shape.size(0)) {
        throw StatusException.of(
            StatusCode.OUT_OF_RANGE, "box_index has values outside [0, batch_size)");
      }
    }
    float[] corners = boxes.floats();
    for (int i = 0; i < boxes.elements(); i++) {
      if (!Float.isFinite(corners[i])) {
        throw invalidArgument("Boxes contains at least one element that is not finite");
      }
    }
    Shape result = Shape.of(count, size.integer(0), size.integer(1), shape.size(3));
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    Crop crop = new Crop(image, result, out);
    for (int i = 0; i < count; i++) {
      call.cancellation().check();
      crop.run(i, (int) indices.integer(i), corners);
    }
    call.setOutput(0, Tensor.wrap(DataType.FLOAT32, result, out));
  }

  /** The coordinates, along one axis of the image, of the {@code count} pixels of a crop. */
  static float[] coordinates(float from, float to, int size, int count) {
    float scale = count > 1 ? (to - from) * (size - 1) / (count - 1) : 0;
    float[] coordinates = new float[count];
    for (int i = 0; i < count; i++) {
      coordinates[i] =
          count > 1 ? from * (size - 1) + i * scale : (float) (0.5 * (from + to) * (size - 1));
    }
    return coordinates;
  }

  /** The crops of one call. */
  private final class Crop {
    private final float[] in;
    private final int height;
    private final int width;
    private final int channels;
    private final int cropHeight;
    private final int cropWidth;
    private final float[] out;

    Crop(Tensor image, Shape crops, float[] out) {
      this.in = ImageFloats.of(image);
      this.height = (int) image.shape().size(1);
      this.width = (int) image.shape().size(2);
      this.channels = (int) image.shape().size(3);
      this.cropHeight = (int) crops.size(1);
      this.cropWidth = (int) crops.size(2);
      this.out = out;
    }

    void run(int index, int image, float[] corners) {
      float[] ys = coordinates(corners[4 * index], corners[4 * index + 2], height, cropHeight);
      float[] xs = coordinates(corners[4 * index + 1], corners[4 * index + 3], width, cropWidth);
      int first = image * height * width * channels;
      int at = index * cropHeight * cropWidth * channels;
      for (float y : ys) {
        for (float x : xs) {
          boolean within = y >= 0 && y <= height - 1 && x >= 0 && x <= width - 1;
          if (!within) {
            Arrays.fill(out, at, at + channels, extrapolationValue);
          } else if (nearest) {
            int pixel = Math.round(y) * width + Math.round(x);
            System.arraycopy(in, first + pixel * channels, out, at, channels);
          } else {
            interpolate(first, y, x, at);
          }
          at += channels;
        }
      }
    }

    /** Bilinear interpolation at ({@code y}, {@code x}). */
    private void interpolate(int first, float y, float x, int at) {
      int top = first + (int) Math.floor(y) * width * channels;
      int bottom = first + (int) Math.ceil(y) * width * channels;
      int left = (int) Math.floor(x) * channels;
      int right = (int) Math.ceil(x) * channels;
      float down = y - (int) Math.floor(y);
      float across = x - (int) Math.floor(x);
      for (int c = 0; c < channels; c++) {
        float upper = in[top + left + c] + (in[top + right + c] - in[top + left + c]) * across;
        float lower =
            in[bottom + left + c] + (in[bottom + right + c] - in[bottom + left + c]) * across;
        out[at + c] = upper + (lower - upper) * down;
      }
    }
  }
}
