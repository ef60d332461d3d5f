package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

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
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * ExtractGlimpse and its V2: windows at given places of images, over noise where a window reaches
 * beyond its image. The versions differ in what the offsets mean.
 */
final class ExtractGlimpseOps {
  private final boolean isFirstVersion;
  private final boolean centered;
  private final boolean normalized;
  private final String noise;
  private final LongSupplier entropy;

  private ExtractGlimpseOps(NodeSpec node, LongSupplier entropy) {
    Attrs attrs = node.attrs();
    this.isFirstVersion = node.op().name().equals("ExtractGlimpse");
    this.centered = attrs.bool("centered");
    this.normalized = attrs.bool("normalized");
    String given = attrs.string("noise");
    boolean isUniform = attrs.bool("uniform_noise");
    if (isUniform && !given.isEmpty() && !given.equals("uniform")) {
      throw invalidArgument("The uniform_noise and noise could not be specified at the same time");
    }
    this.noise = given.isEmpty() ? (isUniform ? "uniform" : "gaussian") : given;
    if (!List.of("uniform", "gaussian", "zero").contains(noise)) {
      throw invalidArgument("The noise could only be uniform, gaussian, or zero, got%s", noise);
    }
    this.entropy = entropy;
  }

  /**
   * The ops.
   *
   * @param entropy seeds of the noise
   */
  static List<Op> ops(LongSupplier entropy) {
    return List.of(op("ExtractGlimpse", entropy), op("ExtractGlimpseV2", entropy));
  }

  private static Op op(String name, LongSupplier entropy) {
    return Op.define(name + "(input: float, size: int32, offsets: float) -> glimpse: float")
        .attrs(
            "centered: bool = true",
            "normalized: bool = true",
            "uniform_noise: bool = true",
            "noise: string = \"uniform\"")
        .shape(ExtractGlimpseOps::infer)
        .remark("Noise is random in TensorFlow, too, and is not the same.")
        .kernel(node -> new ExtractGlimpseOps(node, entropy)::compute);
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape images = Shapes.withRank(in.shape(0), 4);
    Shape offsets = Shapes.withRank(in.shape(2), 2);
    long batch = Shapes.mergeSize(images.size(0), offsets.size(0));
    Shapes.mergeSize(offsets.size(1), 2);
    String noise = in.attrs().string("noise");
    if (in.attrs().bool("uniform_noise") && !noise.isEmpty() && !noise.equals("uniform")) {
      throw invalidArgument("The uniform_noise and noise should not be specified at the same time");
    }
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 1).size(0), 2);
    @Nullable Tensor size = in.constant(1);
    return List.of(
        Shape.of(
            batch,
            size == null ? -1 : size.integer(0),
            size == null ? -1 : size.integer(1),
            images.size(3)));
  }

  private static void check(Shape images, Tensor size, Shape offsets) {
    if (images.rank() != 4) {
      throw invalidArgument(
          "input must be 4-dimensional (batch_size, height, width, depth)%s", images);
    }
    if (size.shape().rank() != 1 || size.elements() != 2) {
      throw invalidArgument("input must be a vector of size 2 (height, width)%s", size.shape());
    }
    for (int i = 0; i < 2; i++) {
      if (size.integer(i) < 0) {
        throw invalidArgument("Expected a non-negative size, got %d", size.integer(i));
      }
    }
    if (offsets.rank() != 2) {
      throw invalidArgument("input must be a matrix%s", offsets);
    }
    if (offsets.size(0) != images.size(0)) {
      throw invalidArgument("first dimension should be batch%s", offsets);
    }
    if (offsets.size(1) != 2) {
      throw invalidArgument("second dimension should be of size 2 (y,x)%s", offsets);
    }
  }

  private void compute(KernelCall call) {
    Shape images = call.input(0).shape();
    Tensor size = call.input(1);
    check(images, size, call.input(2).shape());
    Shape result = Shape.of(images.size(0), size.integer(0), size.integer(1), images.size(3));
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    float[] offsets = call.input(2).floats();
    for (int i = 0; i < images.size(0) && out.length > 0; i++) {
      call.cancellation().check();
      float[] image = call.input(0).row(i).floats();
      Span rows = span(offsets[2 * i], (int) images.size(1), (int) result.size(1));
      Span columns = span(offsets[2 * i + 1], (int) images.size(2), (int) result.size(2));
      Glimpse glimpse = new Glimpse(image, images, out, i, result);
      if (rows.isPartial || columns.isPartial) {
        glimpse.fillWithNoise();
      }
      glimpse.copy(rows, columns);
    }
    call.setOutput(0, Tensor.wrap(DataType.FLOAT32, result, out));
  }

  /**
   * The part of an axis of a glimpse that is within the image.
   *
   * @param from its first pixel in the image
   * @param to its first pixel in the glimpse
   * @param isPartial whether the glimpse may reach beyond the image
   */
  private record Span(int from, int to, int count, boolean isPartial) {}

  private Span span(float offset, int image, int glimpse) {
    long start = ImageFloats.truncated(start(offset, image, glimpse));
    if (start < 0) {
      int within = (int) Math.max(0, glimpse + start);
      return new Span(0, glimpse - within, Math.min(image, within), true);
    }
    if (start >= image - (long) glimpse) {
      int within = (int) Math.max(0, image - start);
      return new Span((int) Math.min(start, image), 0, Math.min(glimpse, within), true);
    }
    return new Span((int) start, 0, glimpse, false);
  }

  /** The first pixel of a glimpse along an axis. */
  private float start(float offset, int image, int glimpse) {
    float start = offset;
    if (isFirstVersion || normalized) {
      start = normalized ? start * image : start;
      if (centered) {
        start = start / 2 + image / 2f;
      }
      return isFirstVersion || centered ? start - glimpse / 2f : start;
    }
    return centered ? start + image / 2f : start;
  }

  /** One glimpse. */
  private final class Glimpse {
    private final float[] image;
    private final int imageWidth;
    private final float[] out;
    private final int first;
    private final int width;
    private final int size;
    private final int channels;

    Glimpse(float[] image, Shape images, float[] out, int index, Shape result) {
      this.image = image;
      this.imageWidth = (int) images.size(2);
      this.out = out;
      this.width = (int) result.size(2);
      this.channels = (int) result.size(3);
      this.size = (int) result.size(1) * width * channels;
      this.first = index * size;
    }

    void copy(Span rows, Span columns) {
      for (int y = 0; y < rows.count; y++) {
        int from = ((rows.from + y) * imageWidth + columns.from) * channels;
        int to = first + ((rows.to + y) * width + columns.to) * channels;
        System.arraycopy(image, from, out, to, columns.count * channels);
      }
    }

    void fillWithNoise() {
      SplittableRandom random = new SplittableRandom(entropy.getAsLong());
      switch (noise) {
        case "uniform" -> fillUniformly(random);
        case "gaussian" -> {
          for (int c = 0; c < channels; c++) {
            fillNormally(random, c);
          }
        }
        default -> {
          // The array is of zeros.
        }
      }
    }

    /** Noise between the least and the largest element of the image. */
    private void fillUniformly(SplittableRandom random) {
      float least = Float.POSITIVE_INFINITY;
      float largest = Float.NEGATIVE_INFINITY;
      for (float value : image) {
        least = Math.min(least, value);
        largest = Math.max(largest, value);
      }
      for (int i = 0; i < size; i++) {
        out[first + i] = least + (float) random.nextDouble() * (largest - least);
      }
    }

    /** Noise with the mean and deviation of a channel of the image, and within its range. */
    private void fillNormally(SplittableRandom random, int channel) {
      double sum = 0;
      double squares = 0;
      float least = Float.POSITIVE_INFINITY;
      float largest = Float.NEGATIVE_INFINITY;
      int pixels = image.length / channels;
      for (int i = channel; i < image.length; i += channels) {
        sum += image[i];
        squares += (double) image[i] * image[i];
        least = Math.min(least, image[i]);
        largest = Math.max(largest, image[i]);
      }
      double mean = sum / pixels;
      double deviation = Math.sqrt(Math.max(0, squares / pixels - mean * mean));
      for (int i = channel; i < size; i += channels) {
        float value = (float) (mean + random.nextGaussian() * deviation);
        out[first + i] = Math.max(Math.min(value, largest), least);
      }
    }
  }
}
