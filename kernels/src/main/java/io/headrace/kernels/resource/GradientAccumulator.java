package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gathers gradients until there are enough, and gives their mean or sum: what the handle of an
 * accumulator op holds. A gradient of a step before the accumulator's own is dropped. Who takes
 * waits without a thread. Thread-safe.
 */
abstract sealed class GradientAccumulator
    permits GradientAccumulator.Dense, SparseGradientAccumulator {
  private static final int TAKE = 0;

  private final DataType dtype;
  private final Shape shape;
  private final boolean isMean;
  private final AsyncMonitor monitor = new AsyncMonitor(1);
  private long globalStep;
  private int count;

  GradientAccumulator(DataType dtype, Shape shape, boolean isMean) {
    this.dtype = dtype;
    this.shape = shape;
    this.isMean = isMean;
  }

  /** The accumulator whose handle is {@code handle}; INVALID_ARGUMENT if it is none. */
  static <T extends GradientAccumulator> T of(Tensor handle, Class<T> type) {
    if (handle.elements() == 1
        && handle.dtype() == DataType.RESOURCE
        && type.isInstance(handle.reference(0))) {
      return type.cast(handle.reference(0));
    }
    throw invalidArgument("the handle must be that of one accumulator, and is %s", handle);
  }

  final DataType dtype() {
    return dtype;
  }

  /** What is known of the shape of the gradients. */
  final Shape shape() {
    return shape;
  }

  final int count() {
    return monitor.look(() -> count);
  }

  final void setGlobalStep(long step) {
    monitor.change(() -> globalStep = step);
  }

  /** Does {@code add} within the monitor unless the gradient is of a step before. */
  final void add(long localStep, Runnable add) {
    monitor.change(() -> {
      if (localStep >= globalStep) {
        add.run();
        count++;
      }
    });
  }

  /** Whether there is none since the last were taken; asked within the monitor. */
  final boolean isEmpty() {
    return count == 0;
  }

  /** What was gathered, when that is {@code required} gradients or more. */
  final CompletableFuture<List<Tensor>> take(
      long required, AccumulatorMath math, StepContext step) {
    if (required <= 0) {
      throw invalidArgument("Argument num_required must be positive, but was %d", required);
    }
    return monitor.begin(TAKE, "TakeGrad", new Take(required, math, step), step.cancellation());
  }

  private final class Take implements Attempt {
    private final long required;
    private final AccumulatorMath math;
    private final StepContext step;
    private List<Tensor> taken = List.of();

    Take(long required, AccumulatorMath math, StepContext step) {
      this.required = required;
      this.math = math;
      this.step = step;
    }

    @Override
    public Progress proceed() {
      if (count < required) {
        return Progress.NONE;
      }
      taken = isMean ? mean(math, count, step) : sum();
      globalStep++;
      count = 0;
      return Progress.DONE;
    }

    @Override
    public List<Tensor> outputs() {
      return taken;
    }
  }

  /** The sum of what was gathered. */
  abstract List<Tensor> sum();

  /** The mean of the {@code gathered} gradients. */
  abstract List<Tensor> mean(AccumulatorMath math, int gathered, StepContext step);

  /** Of tensors. */
  static final class Dense extends GradientAccumulator {
    private @Nullable Tensor sum;

    Dense(DataType dtype, Shape shape, boolean isMean) {
      super(dtype, shape, isMean);
    }

    /** Adds a gradient; INVALID_ARGUMENT if it is of another shape. */
    void apply(long localStep, Tensor gradient, AccumulatorMath math, StepContext step) {
      add(
          localStep,
          () -> {
            Tensor before = isEmpty() ? null : sum;
            Shape expected = before == null ? shape() : before.shape();
            if (!expected.isCompatibleWith(gradient.shape())) {
              throw invalidArgument(
                  "Shape mismatch: expected %s, got %s", expected, gradient.shape());
            }
            sum = before == null ? gradient.detach() : math.add(before, gradient, step);
          });
    }

    @Override
    List<Tensor> sum() {
      return List.of(Objects.requireNonNull(sum));
    }

    @Override
    List<Tensor> mean(AccumulatorMath math, int gathered, StepContext step) {
      Tensor counts = math.counts(Shape.SCALAR, new int[] {gathered});
      return List.of(math.divide(Objects.requireNonNull(sum), counts, step));
    }
  }
}
