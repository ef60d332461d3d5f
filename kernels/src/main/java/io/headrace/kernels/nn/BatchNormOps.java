package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The FusedBatchNorm ops, their gradients, and _FusedBatchNormEx with its activation. */
final class BatchNormOps {
  private static final String EPSILON = "epsilon: float = 9.999999747378752e-05";
  private static final String AVERAGE = "exponential_avg_factor: float = 1.0";
  private static final String TRAINING = "is_training: bool = true";
  private static final String FORMAT = "data_format: string = \"NHWC\"";
  private static final String EXACT =
      "Added up in double precision: more exact than TensorFlow's sums.";
  private static final String[] OWN_TYPE = {"T: {float}"};
  private static final String[] TYPES = {"T: {half, bfloat16, float}", "U: {float}"};

  private BatchNormOps() {}

  static List<Op> ops() {
    return List.of(
        forward("FusedBatchNorm", "T", 5, OWN_TYPE),
        forward("FusedBatchNormV2", "U", 5, TYPES),
        forward("FusedBatchNormV3", "U", 6, TYPES),
        backward("FusedBatchNormGrad", "T", "T", 5, OWN_TYPE),
        backward("FusedBatchNormGradV2", "float", "U", 5, TYPES),
        backward("FusedBatchNormGradV3", "float", "U", 6, TYPES),
        fusedWithActivation());
  }

  private static String statistics(String u, int count) {
    String names = "batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U";
    return (count > 5 ? names + ", reserve_space_3: U" : names).replace("U", u);
  }

  private static Op forward(String name, String u, int outputs, String[] types) {
    return Op.define(
            (name + "(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, ")
                    .replace(": U", ": " + u)
                + statistics(u, outputs)
                + ")")
        .attrs(types)
        .attrs(EPSILON, AVERAGE, FORMAT, TRAINING)
        .shape(in -> infer(in, outputs))
        .remark(EXACT)
        .kernel(node -> {
          BatchNormOps.Forward rule = new Forward(node.attrs());
          return call -> call.setOutput(0, rule.run(call, outputs > 5));
        });
  }

  /** _FusedBatchNormEx: adds a side input to the result, and applies an activation. */
  private static Op fusedWithActivation() {
    return Op.define(
            "_FusedBatchNormEx(x: T, scale: U, offset: U, mean: U, variance: U, side_input:"
                + " num_side_inputs * T) -> (y: T, "
                + statistics("U", 6)
                + ")")
        .attrs(TYPES)
        .attrs(
            EPSILON,
            AVERAGE,
            FORMAT,
            TRAINING,
            "num_side_inputs: int = 0",
            "activation_mode: string = \"Identity\"")
        .shape(in -> infer(in, 6))
        .remark(EXACT)
        .kernel(node -> {
          Forward rule = new Forward(node.attrs());
          Epilogue epilogue = new Epilogue(node.attrs());
          return call -> call.setOutput(0, epilogue.of(rule.run(call, true), call));
        });
  }

  private static List<Shape> infer(ShapeFunction.Inputs in, int outputs) {
    int vectors = in.attrs().bool("is_training") ? 3 : 5;
    Shape x = Shapes.withRank(in.shape(0), rank(in.attrs()));
    Shape vector = channels(in, x, 1, vectors);
    x = Shapes.withSize(x, channelAxis(in.attrs(), x), vector.size(0));
    List<Shape> shapes = new ArrayList<>(List.of(x, vector, vector, vector, vector));
    if (outputs > 5) {
      shapes.add(Shape.UNKNOWN);
    }
    return shapes;
  }

  /** The shape of the vectors by channel: inputs {@code from} up to {@code to} have it, too. */
  private static Shape channels(ShapeFunction.Inputs in, Shape x, int from, int to) {
    long channels = x.size(channelAxis(in.attrs(), x));
    for (int i = from; i < to; i++) {
      channels = Shapes.mergeSize(channels, Shapes.withRank(in.shape(i), 1).size(0));
    }
    return Shape.of(channels);
  }

  private static int rank(Attrs attrs) {
    return attrs.string("data_format").contains("D") ? 5 : 4;
  }

  private static int channelAxis(Attrs attrs, Shape x) {
    return attrs.string("data_format").startsWith("NC") ? 1 : x.rank() - 1;
  }

  private static Op backward(String name, String scale, String u, int inputs, String[] types) {
    return Op.define(
            (name + "(y_backprop: T, x: T, scale: S, reserve_space_1: U, reserve_space_2: U")
                    .replace(": S", ": " + scale)
                    .replace(": U", ": " + u)
                + (inputs > 5 ? ", reserve_space_3: U" : "")
                + (") -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_A: U,"
                        + " reserve_space_B: U)")
                    .replace(": U", ": " + u)
                    .replace("_A", inputs > 5 ? "_4" : "_3")
                    .replace("_B", inputs > 5 ? "_5" : "_4"))
        .attrs(types)
        .attrs(EPSILON, FORMAT, TRAINING)
        .shape(BatchNormOps::inferGradients)
        .remark(EXACT)
        .kernel(node -> {
          float epsilon = node.attrs().floating("epsilon");
          boolean batchMoments = node.attrs().bool("is_training");
          return call -> gradients(call, node.attrs(), epsilon, batchMoments);
        });
  }

  private static List<Shape> inferGradients(ShapeFunction.Inputs in) {
    Shape x = Shapes.withRank(Shapes.merge(in.shape(0), in.shape(1)), rank(in.attrs()));
    Shape vector = channels(in, x, 2, 5);
    x = Shapes.withSize(x, channelAxis(in.attrs(), x), vector.size(0));
    return List.of(x, vector, vector, Shape.of(0), Shape.of(0));
  }

  /** The images as floats with channels last; {@code axis} is their axis of channels. */
  private static float[] channelsLast(Tensor images, int axis, Cancellation stop) {
    float[] values = (float[]) Accumulators.widen(images);
    return axis == 1 ? transposed(values, images.shape(), true, stop) : values;
  }

  /** The inverse of {@link #channelsLast}: a tensor with the dtype and layout of {@code like}. */
  private static Tensor restoreFormat(Tensor like, float[] values, int axis, Cancellation stop) {
    float[] array = axis == 1 ? transposed(values, like.shape(), false, stop) : values;
    return Tensor.wrap(like.dtype(), like.shape(), Accumulators.narrow(like.dtype(), array));
  }

  private static float[] transposed(
      float[] values, Shape shape, boolean toLast, Cancellation stop) {
    int channels = (int) shape.size(1);
    int images = (int) shape.size(0);
    int pixels = shape.sub(2, shape.rank()).elements();
    float[] result = new float[values.length];
    int outer = channels * pixels;
    StridedMove move = new StridedMove(ElementKind.FLOAT).dimension(images, outer, outer);
    if (toLast) {
      move.dimension(pixels, 1, channels).dimension(channels, pixels, 1);
    } else {
      move.dimension(channels, 1, pixels).dimension(pixels, channels, 1);
    }
    move.run(values, 0, result, 0, stop);
    return result;
  }

  private static BatchNorm norm(Tensor x, int axis, float epsilon) {
    int channels = (int) x.shape().size(axis);
    return new BatchNorm(channels, channels == 0 ? 0 : x.elements() / channels, epsilon);
  }

  /** The axis of channels. Kernels take images and volumes whichever of both the format is of. */
  private static int checkImages(Tensor x, Attrs attrs) {
    if (x.shape().rank() != 4 && x.shape().rank() != 5) {
      throw invalidArgument("input must be 4 or 5-dimensional: %s", x.shape());
    }
    return channelAxis(attrs, x.shape());
  }

  private static float[] vector(KernelCall call, int input, String name, int channels) {
    Shape shape = call.input(input).shape();
    if (shape.rank() != 1 || shape.size(0) != channels) {
      throw invalidArgument(
          "%s must have the same number of elements as the channels of x, %d, and has shape %s",
          name, channels, shape);
    }
    return (float[]) Accumulators.widen(call.input(input));
  }

  private static Tensor vector(float[] values) {
    return Tensor.wrap(DataType.FLOAT32, Shape.of(values.length), values);
  }

  private static void gradients(KernelCall call, Attrs attrs, float epsilon, boolean batchMoments) {
    Tensor x = call.input(1);
    int axis = checkImages(x, attrs);
    if (!call.input(0).shape().equals(x.shape())) {
      throw invalidArgument(
          "x and y_backprop must have the same shape, but x has shape %s and y_backprop has shape"
              + " %s",
          x.shape(), call.input(0).shape());
    }
    BatchNorm norm = norm(x, axis, epsilon);
    float[] scale = vector(call, 2, "scale", norm.channels());
    BatchNorm.Moments moments =
        new BatchNorm.Moments(
            vector(call, 3, "reserve_space_1", norm.channels()),
            vector(call, 4, "reserve_space_2", norm.channels()));
    Cancellation stop = call.cancellation();
    float[] dy = channelsLast(call.input(0), axis, stop);
    BatchNorm.Gradients gradients =
        norm.gradients(dy, channelsLast(x, axis, stop), moments, scale, batchMoments, stop);
    call.setOutput(0, restoreFormat(x, gradients.x(), axis, stop));
    call.setOutput(1, vector(gradients.scale()));
    call.setOutput(2, vector(gradients.offset()));
    call.setOutput(3, vector(new float[0]));
    call.setOutput(4, vector(new float[0]));
  }

  /** The forward kernel of a node. */
  private static final class Forward {
    private final Attrs attrs;
    private final float epsilon;
    private final float average;
    private final boolean training;

    Forward(Attrs attrs) {
      this.attrs = attrs;
      this.epsilon = attrs.floating("epsilon");
      this.average = attrs.floating("exponential_avg_factor");
      this.training = attrs.bool("is_training");
    }

    /** Returns the normalized images, and sets all outputs after the first. */
    Tensor run(KernelCall call, boolean hasThirdReserve) {
      Tensor x = call.input(0);
      int axis = checkImages(x, attrs);
      BatchNorm norm = norm(x, axis, epsilon);
      float[] scale = vector(call, 1, "scale", norm.channels());
      float[] offset = vector(call, 2, "offset", norm.channels());
      checkVector("estimated_mean", call.input(3).shape());
      checkVector("estimated_variance", call.input(4).shape());
      TensorLimit.check(DataType.FLOAT32, x.shape());
      Cancellation stop = call.cancellation();
      float[] values = channelsLast(x, axis, stop);
      BatchNorm.Moments moments =
          training ? norm.moments(values, stop) : given(call, norm.channels());
      BatchNorm.Moments reported = reported(call, norm, moments);
      call.setOutput(1, vector(reported.mean()));
      call.setOutput(2, vector(reported.variance()));
      call.setOutput(3, vector(moments.mean()));
      call.setOutput(4, vector(moments.variance()));
      if (hasThirdReserve) {
        call.setOutput(5, vector(new float[0]));
      }
      float[] y = norm.normalized(values, moments, scale, offset, stop);
      return restoreFormat(x, y, axis, stop);
    }

    private static void checkVector(String name, Shape shape) {
      if (shape.rank() != 1) {
        throw invalidArgument("%s must be 1-dimensional%s", name, shape);
      }
    }

    private static BatchNorm.Moments given(KernelCall call, int channels) {
      return new BatchNorm.Moments(
          vector(call, 3, "mean", channels), vector(call, 4, "variance", channels));
    }

    /** The moments of no pixels. */
    private static BatchNorm.Moments unknown(int channels) {
      float[] values = new float[channels];
      Arrays.fill(values, Float.NaN);
      return new BatchNorm.Moments(values, values.clone());
    }

    /** The first outputs for moments: NaN if there are no pixels. */
    private BatchNorm.Moments reported(KernelCall call, BatchNorm norm, BatchNorm.Moments moments) {
      BatchNorm.Moments result = training ? runningMoments(call, norm, moments) : moments;
      return norm.pixels() == 0 ? unknown(norm.channels()) : result;
    }

    /**
     * The running moments: those of the inputs, averaged with the batch's, whose variance is made
     * unbiased.
     */
    private BatchNorm.Moments runningMoments(
        KernelCall call, BatchNorm norm, BatchNorm.Moments moments) {
      int channels = norm.channels();
      BatchNorm.Moments before = average == 1 ? moments : given(call, channels);
      float[] mean = new float[channels];
      float[] variance = new float[channels];
      double bessel = norm.pixels() > 1 ? norm.pixels() / (norm.pixels() - 1.0) : 1;
      for (int c = 0; c < channels; c++) {
        float unbiased = (float) (moments.variance()[c] * bessel);
        mean[c] = blend(before.mean()[c], moments.mean()[c]);
        variance[c] = blend(before.variance()[c], unbiased);
      }
      return new BatchNorm.Moments(mean, variance);
    }

    private float blend(float before, float now) {
      return average == 1 ? now : (1 - average) * before + average * now;
    }
  }

  /** The epilogue of _FusedBatchNormEx: side input, then activation. */
  private static final class Epilogue {
    private final boolean addsSide;
    private final boolean isRelu;

    Epilogue(Attrs attrs) {
      long sides = attrs.integer("num_side_inputs");
      if (sides > 1) {
        throw invalidArgument("_FusedBatchNormEx accepts at most one side input, not %d", sides);
      }
      this.addsSide = sides == 1;
      String mode = attrs.string("activation_mode");
      if (!mode.equals("Identity") && !mode.equals("Relu")) {
        throw invalidArgument("activation_mode must be Identity or Relu, and is %s", mode);
      }
      this.isRelu = mode.equals("Relu");
    }

    Tensor of(Tensor y, KernelCall call) {
      float[] values = (float[]) Accumulators.widen(y);
      if (addsSide) {
        Tensor side = call.input(5);
        if (!side.shape().equals(y.shape())) {
          throw invalidArgument(
              "side_input must have the shape of x: %s, not %s", y.shape(), side.shape());
        }
        float[] terms = (float[]) Accumulators.widen(side);
        for (int i = 0; i < values.length; i++) {
          values[i] += terms[i];
        }
      }
      if (!isRelu) {
        return Tensor.wrap(y.dtype(), y.shape(), Accumulators.narrow(y.dtype(), values));
      }
      for (int i = 0; i < values.length; i++) {
        values[i] = Math.max(values[i], 0);
      }
      return Tensor.wrap(y.dtype(), y.shape(), Accumulators.narrow(y.dtype(), values));
    }
  }
}
