package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ImageProjectiveTransformV2 and V3: warps images by projective transforms. */
final class ImageProjectiveTransformOps {
  private static final String TYPES = "dtype: {uint8, int32, int64, half, bfloat16, float, double}";

  /** Coefficients of a transform: a 3 by 3 matrix without its last element, which is 1. */
  private static final int COEFFICIENTS = 8;

  /** The attr {@code fill_mode}: how coordinates outside of the image map to pixels. */
  private enum FillMode {
    CONSTANT,
    NEAREST,
    REFLECT,
    WRAP;

    /** Maps coordinate {@code at} along an axis of {@code size} pixels into the image. */
    float map(float at, int size) {
      return switch (this) {
        case CONSTANT -> at;
        case NEAREST -> clamp(at, size);
        case REFLECT -> clamp(size <= 1 ? 0 : reflected(at, size), size);
        case WRAP -> clamp(size <= 1 ? 0 : wrapped(at, size), size);
      };
    }

    private static float clamp(float at, int size) {
      return Math.min(Math.max(at, 0f), size - 1);
    }

    private static float reflected(float at, int size) {
      long period = 2L * size;
      if (at < 0) {
        float near = period * (long) (-at / period) + at;
        return near < -size ? near + period : -near - 1;
      }
      if (at > size - 1) {
        float near = at - period * (long) (at / period);
        return near >= size ? period - near - 1 : near;
      }
      return at;
    }

    private static float wrapped(float at, int size) {
      if (at < 0) {
        return at + (long) size * ((long) (-at / (size - 1)) + 1);
      }
      return at > size - 1 ? at - (long) size * (long) (at / (size - 1)) : at;
    }
  }

  private final FillMode mode;
  private final boolean bilinear;

  private ImageProjectiveTransformOps(NodeSpec node) {
    Attrs attrs = node.attrs();
    String interpolation = attrs.string("interpolation");
    this.bilinear = interpolation.equals("BILINEAR");
    if (!bilinear && !interpolation.equals("NEAREST")) {
      throw invalidArgument("interpolation must be NEAREST or BILINEAR, and is %s", interpolation);
    }
    String fill = attrs.string("fill_mode");
    this.mode =
        switch (fill) {
          case "CONSTANT" -> FillMode.CONSTANT;
          case "NEAREST" -> FillMode.NEAREST;
          case "REFLECT" -> FillMode.REFLECT;
          case "WRAP" -> FillMode.WRAP;
          default ->
              throw invalidArgument(
                  "fill_mode must be REFLECT, WRAP, CONSTANT or NEAREST, and is %s", fill);
        };
  }

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ImageProjectiveTransformV2(images: dtype, transforms: float, output_shape: int32)"
                    + " -> transformed_images: dtype")
            .attrs(TYPES, "interpolation: string", "fill_mode: string = \"CONSTANT\"")
            .shape(ImageProjectiveTransformOps::infer)
            .kernel(node -> new ImageProjectiveTransformOps(node)::compute),
        Op.define(
                "ImageProjectiveTransformV3(images: dtype, transforms: float, output_shape: int32,"
                    + " fill_value: float) -> transformed_images: dtype")
            .attrs(TYPES, "interpolation: string", "fill_mode: string = \"CONSTANT\"")
            .shape(ImageProjectiveTransformOps::infer)
            .kernel(node -> new ImageProjectiveTransformOps(node)::compute));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    @Nullable Tensor size = in.constant(2);
    boolean sized = size != null && size.elements() == 2;
    return List.of(
        Shape.of(
            images.size(0),
            sized && size != null ? size.integer(0) : -1,
            sized && size != null ? size.integer(1) : -1,
            images.size(3)));
  }

  private void compute(KernelCall call) {
    Tensor images = call.input(0);
    Tensor transforms = call.input(1);
    Tensor size = call.input(2);
    check(images.shape(), transforms.shape(), size);
    float fill = call.inputs() < 4 ? 0 : fillValue(call.input(3));
    Shape shape = images.shape();
    Shape result = Shape.of(shape.size(0), size.integer(0), size.integer(1), shape.size(3));
    Object array = TensorLimit.allocate(images.dtype(), result);
    float[] all = transforms.floats();
    Warp warp = new Warp(images, fill, array, (int) (result.size(2) * result.size(3)));
    int at = 0;
    for (int b = 0; b < shape.size(0); b++) {
      int transform = transforms.shape().size(0) == 1 ? 0 : b * COEFFICIENTS;
      for (int y = 0; y < result.size(1); y++) {
        call.cancellation().check();
        for (int x = 0; x < result.size(2); x++) {
          warp.pixel(b, all, transform, y, x, at + x * (int) shape.size(3));
        }
        at += warp.finishRow(at, (int) (result.size(2) * shape.size(3)));
      }
    }
    call.setOutput(0, Tensor.wrap(images.dtype(), result, array));
  }

  private static void check(Shape images, Shape transforms, Tensor size) {
    if (images.rank() != 4) {
      throw invalidArgument("Input images must have rank 4");
    }
    if (transforms.rank() != 2
        || (transforms.size(0) != images.size(0) && transforms.size(0) != 1)
        || transforms.size(1) != COEFFICIENTS) {
      throw invalidArgument("Input transform should be num_images x 8 or 1 x 8");
    }
    if (size.shape().rank() != 1) {
      throw invalidArgument("output shape must be 1-dimensional%s", size.shape());
    }
    if (size.elements() != 2) {
      throw invalidArgument("output shape must have two elements%s", size.shape());
    }
    if (size.integer(0) <= 0 || size.integer(1) <= 0) {
      throw invalidArgument("output dimensions must be positive");
    }
  }

  private static float fillValue(Tensor fill) {
    if (fill.shape().rank() != 0) {
      throw invalidArgument("fill_value must be a scalar%s", fill.shape());
    }
    return fill.floats()[0];
  }

  /** The warp of the images of one call. */
  private final class Warp {
    private final Tensor images;
    private final DataType dtype;
    private final int height;
    private final int width;
    private final int channels;
    private final Object out;

    /** For bilinear interpolation: the images, and results of a row that begins at rowAt. */
    private final float[] in;

    private final float[] row;
    private int rowAt;

    /** The fill value, an array of one element of the dtype. */
    private final Object fill;

    private final float fillAsFloat;

    Warp(Tensor images, float fill, Object out, int rowSize) {
      this.images = images;
      this.dtype = images.dtype();
      this.height = (int) images.shape().size(1);
      this.width = (int) images.shape().size(2);
      this.channels = (int) images.shape().size(3);
      this.out = out;
      this.in = bilinear ? ImageFloats.of(images) : new float[0];
      this.row = new float[bilinear ? rowSize : 0];
      this.fill = dtype.kind().newArray(1);
      set(this.fill, 0, fill);
      this.fillAsFloat = (float) NumericElements.real(dtype, this.fill, 0);
    }

    private void set(Object array, int i, float value) {
      if (dtype.isFloating()) {
        NumericElements.setFloating(dtype, array, i, value);
      } else {
        NumericElements.setInteger(array, i, (long) value);
      }
    }

    void pixel(int batch, float[] all, int t, int outY, int outX, int at) {
      float projection = all[t + 6] * outX + all[t + 7] * outY + 1f;
      float x = (all[t] * outX + all[t + 1] * outY + all[t + 2]) / projection;
      float y = (all[t + 3] * outX + all[t + 4] * outY + all[t + 5]) / projection;
      if (projection != 0) {
        x = mode.map(x, width);
        y = mode.map(y, height);
      }
      if (projection == 0 || Float.isNaN(x) || Float.isNaN(y)) {
        fill(at);
      } else if (bilinear) {
        mix(batch, y, x, at);
      } else {
        copy(batch, round(y), round(x), at);
      }
    }

    /** Rounds to the nearest integer, ties away from zero. */
    private static long round(float x) {
      long size = (long) Math.floor(Math.abs((double) x) + 0.5);
      return x < 0 ? -size : size;
    }

    private boolean isWithin(long y, long x) {
      return y >= 0 && y < height && x >= 0 && x < width;
    }

    private void fill(int at) {
      for (int c = 0; c < channels; c++) {
        if (bilinear) {
          row[at - rowAt + c] = fillAsFloat;
          continue;
        }
        dtype.kind().copy(fill, 0, out, at + c, 1);
      }
    }

    private void copy(int batch, long y, long x, int at) {
      if (!isWithin(y, x)) {
        fill(at);
        return;
      }
      int from = ((batch * height + (int) y) * width + (int) x) * channels;
      dtype
          .kind()
          .copy(TensorMemory.array(images), TensorMemory.offset(images) + from, out, at, channels);
    }

    private void mix(int batch, float y, float x, int at) {
      float top = (float) Math.floor(y);
      float left = (float) Math.floor(x);
      float bottom = top + 1;
      float right = left + 1;
      float toLeft = x - left;
      float toRight = right - x;
      float toTop = y - top;
      float toBottom = bottom - y;
      int topLeft = index(batch, top, left);
      int topRight = index(batch, top, right);
      int bottomLeft = index(batch, bottom, left);
      int bottomRight = index(batch, bottom, right);
      for (int c = 0; c < channels; c++) {
        float upper = toRight * in(topLeft, c) + toLeft * in(topRight, c);
        float lower = toRight * in(bottomLeft, c) + toLeft * in(bottomRight, c);
        row[at - rowAt + c] = toBottom * upper + toTop * lower;
      }
    }

    /** The index of a pixel; -1 if it is outside of the image. */
    private int index(int batch, float y, float x) {
      return y >= 0 && y < height && x >= 0 && x < width
          ? ((batch * height + (int) y) * width + (int) x) * channels
          : -1;
    }

    private float in(int pixel, int channel) {
      return pixel < 0 ? fillAsFloat : in[pixel + channel];
    }

    /**
     * Writes the interpolated elements of the row that begins at {@code at}; returns their number.
     */
    int finishRow(int at, int count) {
      if (bilinear) {
        switch (out) {
          case float[] floats -> System.arraycopy(row, 0, floats, at, count);
          case byte[] bytes -> {
            for (int i = 0; i < count; i++) {
              bytes[at + i] = (byte) (long) row[i];
            }
          }
          default -> {
            for (int i = 0; i < count; i++) {
              set(out, at + i, row[i]);
            }
          }
        }
      }
      rowAt = at + count;
      return count;
    }
  }
}
