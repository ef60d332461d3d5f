package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.EqualityKernel;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The ops ParameterizedTruncatedNormal and StatelessParameterizedTruncatedNormal: samples of {@link
 * BoundedNormal} distributions whose parameters are inputs.
 */
final class ParameterizedTruncatedNormalOps {
  private static final String THREADS =
      "The numbers are those that TensorFlow draws on one thread; it draws others for large"
          + " tensors on several.";

  private static final String[] PARAMETERS = {"means", "stddevs", "minvals", "maxvals"};

  /** The samples of a batch where all of a tensor have the same parameters. */
  private static final int BATCH = 100;

  /** Samples that are reserved for an element. */
  private static final int RESERVED = 2 * 1000;

  private ParameterizedTruncatedNormalOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        Op.define(
                "ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype,"
                    + " minvals: dtype, maxvals: dtype) -> output: dtype")
            .attrs(
                "seed: int = 0",
                "seed2: int = 0",
                "dtype: {half, float, double}",
                "T: {int32, int64}")
            .stateful()
            .shape(ParameterizedTruncatedNormalOps::statefulRule)
            .remark(THREADS)
            .kernel(node -> {
              SharedPhilox shared = RandomKernels.seeded(node.attrs(), entropy);
              return call -> stateful(call, shared);
            }),
        Op.define(
                "StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype,"
                    + " stddevs: dtype, minvals: dtype, maxvals: dtype) -> output: dtype")
            .attrs(
                "S: {int32, int64}",
                "Tseed: {int32, int64} = int64",
                "dtype: {half, float, double}")
            .shape(ParameterizedTruncatedNormalOps::statelessRule)
            .remark(THREADS)
            .stateless(ParameterizedTruncatedNormalOps::stateless));
  }

  private static List<Shape> statefulRule(ShapeFunction.Inputs in) {
    for (int i = 1; i <= PARAMETERS.length; i++) {
      Shapes.checkRankAtMost(in.shape(i), 1);
    }
    return RandomKernels.shapeOfInput0(in);
  }

  private static List<Shape> statelessRule(ShapeFunction.Inputs in) {
    Shape seed = Shapes.withRank(in.shape(1), 1);
    Shapes.mergeSize(seed.size(0), 2);
    return RandomKernels.shapeOfInput0(in);
  }

  private static void stateful(KernelCall call, SharedPhilox shared) {
    Shape shape = statefulShape(call.input(0));
    List<Tensor> parameters = parameters(call, 1);
    boolean isOne = true;
    for (int i = 0; i < PARAMETERS.length; i++) {
      Shape of = parameters.get(i).shape();
      if (of.rank() > 1) {
        throw invalidArgument(
            "Input %s should be a scalar or vector, got shape: %s", PARAMETERS[i], of);
      }
      isOne &= of.rank() == 0 || (i < 2 && of.size(0) == 1);
    }
    int batches = (int) shape.size(0);
    int each = shape.dropFirst(1).elements();
    if (isOne) {
      batches = (shape.elements() + BATCH - 1) / BATCH;
      each = BATCH;
    } else {
      checkLengths(parameters, shape);
    }
    // TensorFlow reserves as many blocks, in integers of 32 bits that may overflow.
    Philox generator = shared.reserve(batches * RESERVED * (each + 3) / 4);
    if (each == 0 && parameters.stream().allMatch(tensor -> tensor.elements() == 1)) {
      batches = Math.min(batches, 1); // only checks the parameters
    }
    DataType dtype = call.input(1).dtype();
    Object array = TensorLimit.allocate(dtype, shape);
    Writer writer = new Writer(dtype, array, 1);
    for (int batch = 0; batch < batches; batch++) {
      call.cancellation().check();
      int from = batch * each;
      writer.at = from;
      distribution(parameters, new int[] {batch, batch, batch, batch})
          .draw(
              generator,
              Math.min(each, shape.elements() - from),
              call.cancellation(),
              writer::write);
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  private static Shape statefulShape(Tensor sizes) {
    if (sizes.shape().rank() != 1) {
      throw invalidArgument("Input shape should be a vector, got shape: %s", sizes.shape());
    }
    if (sizes.elements() == 0) {
      throw invalidArgument("Shape tensor must not be empty, got %s", sizes);
    }
    return ShapeInputs.shape(sizes);
  }

  private static void checkLengths(List<Tensor> parameters, Shape shape) {
    for (int i = 0; i < PARAMETERS.length; i++) {
      Shape of = parameters.get(i).shape();
      if (of.rank() == 1 && of.size(0) != 1 && of.size(0) != shape.size(0)) {
        throw invalidArgument(
            "Input %s should have length 1 or shape[0], got shape: %s", PARAMETERS[i], of);
      }
    }
  }

  private static void stateless(KernelCall call) {
    Philox generator = StatelessSeeds.scramble(call.input(1));
    List<Tensor> parameters = parameters(call, 2);
    Shape batch = broadcast(parameters);
    if (call.input(0).shape().rank() != 1) {
      throw invalidArgument("Input shape should be a vector, got shape: %s", call.input(0).shape());
    }
    Shape shape = ShapeInputs.shape(call.input(0));
    int from = shape.rank() - batch.rank();
    if (from < 0 || !shape.dropFirst(from).equals(batch)) {
      throw invalidArgument("Shape passed in must end with broadcasted shape.");
    }
    DataType dtype = parameters.getFirst().dtype();
    Object array = TensorLimit.allocate(dtype, shape);
    if (shape.elements() > 0) {
      BroadcastPlan plan = BroadcastPlan.ofRows(parameters.stream().map(Tensor::shape).toList(), 0);
      Writer writer = new Writer(dtype, array, plan.elements());
      for (int b = 0; b < plan.elements(); b++) {
        int index = b;
        writer.at = b;
        distribution(
                parameters,
                IntStream.range(0, PARAMETERS.length).map(i -> plan.indices(i)[index]).toArray())
            .draw(
                generator, shape.elements() / plan.elements(), call.cancellation(), writer::write);
      }
    }
    call.setOutput(0, Tensor.wrap(dtype, shape, array));
  }

  private static Shape broadcast(List<Tensor> parameters) {
    List<Shape> shapes = parameters.stream().map(Tensor::shape).toList();
    Shape result = Shape.SCALAR;
    for (Shape shape : shapes) {
      if (!EqualityKernel.fit(result, shape)) {
        throw invalidArgument(
            "means, stddevs, minvals, maxvals must have compatible batch dimensions: %s vs. %s vs."
                + " %s vs. %s",
            shapes.get(0), shapes.get(1), shapes.get(2), shapes.get(3));
      }
      result = ShapeFunctions.broadcast(result, shape);
    }
    return result;
  }

  private static List<Tensor> parameters(KernelCall call, int first) {
    return IntStream.range(first, first + PARAMETERS.length).mapToObj(call::input).toList();
  }

  /** The distribution of the parameters at {@code indices}; of tensors of one element, those. */
  private static BoundedNormal distribution(List<Tensor> parameters, int[] indices) {
    double[] values = new double[PARAMETERS.length];
    for (int i = 0; i < values.length; i++) {
      Tensor tensor = parameters.get(i);
      int at = tensor.elements() == 1 ? 0 : indices[i];
      values[i] =
          NumericElements.floating(
              tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + at);
    }
    return new BoundedNormal(
        parameters.getFirst().dtype(), values[0], values[1], values[2], values[3]);
  }

  /** Writes samples, each {@code stride} elements after the one before. */
  private static final class Writer {
    private final DataType dtype;
    private final Object array;
    private final int stride;
    private int at;

    Writer(DataType dtype, Object array, int stride) {
      this.dtype = dtype;
      this.array = array;
      this.stride = stride;
    }

    void write(double sample) {
      NumericElements.setFloating(dtype, array, at, sample);
      at += stride;
    }
  }
}
