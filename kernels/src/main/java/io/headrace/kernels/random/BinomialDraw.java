package io.headrace.kernels.random;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.EqualityKernel;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * The tensor that a call draws from binomial distributions: as many samples, along its first
 * dimensions, of each pair of a number of trials and a probability, which broadcast.
 */
public final class BinomialDraw {
  /** The difference from TensorFlow of ops that draw this way. */
  public static final String REMARK =
      "Of counts that are not finite, which TensorFlow tries without end, NaN or the least"
          + " integer.";

  /** Outputs between two cancellation checks. */
  private static final int CANCELLATION_STEP = 1 << 6;

  private final Tensor counts;
  private final Tensor probabilities;
  private final BroadcastPlan plan;
  private final Shape shape;

  private BinomialDraw(Tensor counts, Tensor probabilities, BroadcastPlan plan, Shape shape) {
    this.counts = counts;
    this.probabilities = probabilities;
    this.plan = plan;
    this.shape = shape;
  }

  /** The draw of a tensor whose shape is {@code sizes}; INVALID_ARGUMENT if they do not fit. */
  public static BinomialDraw of(Tensor sizes, Tensor counts, Tensor probabilities) {
    if (!EqualityKernel.fit(counts.shape(), probabilities.shape())) {
      throw invalidArgument(
          "counts and probs must have compatible batch dimensions: %s vs. %s",
          counts.shape(), probabilities.shape());
    }
    BroadcastPlan plan = BroadcastPlan.ofRows(List.of(counts.shape(), probabilities.shape()), 0);
    if (sizes.shape().rank() != 1) {
      throw invalidArgument("Input shape should be a vector, got shape: %s", sizes.shape());
    }
    Shape shape = ShapeInputs.shape(sizes);
    int from = shape.rank() - plan.output().rank();
    if (from < 0 || !shape.dropFirst(from).equals(plan.output())) {
      throw invalidArgument("Shape passed in must end with broadcasted shape.");
    }
    return new BinomialDraw(counts, probabilities, plan, shape);
  }

  /** The number of pairs of parameters. */
  public long batches() {
    return plan.elements();
  }

  /** The number of samples of each pair. */
  public long samplesPerBatch() {
    return shape.sub(0, shape.rank() - plan.output().rank()).elements();
  }

  /** The samples, of {@code dtype}, from the next block of {@code generator} on. */
  public Tensor samples(DataType dtype, Philox generator, KernelCall call) {
    Object array = TensorLimit.allocate(dtype, shape);
    int batches = plan.elements();
    int each = batches == 0 ? 0 : shape.elements() / batches;
    UniformDraw draw = new UniformDraw(generator);
    for (int batch = 0; batch < batches; batch++) {
      BinomialDistribution distribution =
          new BinomialDistribution(
              counts.dtype(),
              parameter(counts, plan.indices(0)[batch]),
              parameter(probabilities, plan.indices(1)[batch]));
      for (int i = 0; i < each; i++) {
        int output = batch * each + i;
        if (output % CANCELLATION_STEP == 0) {
          call.cancellation().check();
        }
        UniformDraw.set(dtype, array, i * batches + batch, distribution.draw(draw, output));
      }
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private static double parameter(Tensor tensor, int index) {
    return NumericElements.floating(
        tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + index);
  }
}
