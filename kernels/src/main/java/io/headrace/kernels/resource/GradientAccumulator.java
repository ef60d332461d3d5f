package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A gradient accumulator, the resource behind the handle of a ConditionalAccumulator: sums
 * gradients, and yields their sum or mean once enough have arrived. It drops stale gradients, whose
 * step is before its own global step. Takers wait without blocking a thread. Thread-safe.
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

  /** The accumulator of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static <T extends GradientAccumulator> T of(Tensor handle, Class<T> type) {
    if (handle.elements() == 1
        && handle.dtype() == DataType.RESOURCE
        && type.isInstance(handle.reference(0))) {
      return type.cast(handle.reference(0));
    }
    throw WrongHandle.of(handle, "accumulator");
  }

  final DataType dtype() {
    return dtype;
  }

  /** The gradients' shape, as far as it is known. */
  final Shape shape() {
    return shape;
  }

  final int count() {
    return monitor.read(() -> count);
  }

  final void setGlobalStep(long step) {
    monitor.change(() -> globalStep = step);
  }

  /** Runs {@code add} within the monitor unless the gradient is stale. */
  final void add(long localStep, Runnable add) {
    monitor.change(() -> {
      if (localStep >= globalStep) {
        add.run();
        count++;
      }
    });
  }

  /** Whether no gradient has arrived since the last take; called within the monitor. */
  final boolean isEmpty() {
    return count == 0;
  }

  /** Takes the accumulated gradient once {@code required} gradients have arrived. */
  final CompletableFuture<List<Tensor>> take(
      long required, GradientArithmetic math, StepContext step) {
    if (required <= 0) {
      throw invalidArgument("Argument num_required must be positive, but was %d", required);
    }
    return monitor.begin(TAKE, "TakeGrad", new Take(required, math, step), step.cancellation());
  }

  private final class Take implements Attempt {
    private final long required;
    private final GradientArithmetic math;
    private final StepContext step;
    private List<Tensor> taken = List.of();

    Take(long required, GradientArithmetic math, StepContext step) {
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

  /** The sum of the accumulated gradients. */
  abstract List<Tensor> sum();

  /** The mean of the {@code gathered} accumulated gradients. */
  abstract List<Tensor> mean(GradientArithmetic math, int gathered, StepContext step);

  /** An accumulator of dense gradients. */
  static final class Dense extends GradientAccumulator {
    private @Nullable Tensor sum;

    Dense(DataType dtype, Shape shape, boolean isMean) {
      super(dtype, shape, isMean);
    }

    /** Adds a gradient; INVALID_ARGUMENT if its shape does not match. */
    void apply(long localStep, Tensor gradient, GradientArithmetic math, StepContext step) {
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
    List<Tensor> mean(GradientArithmetic math, int gathered, StepContext step) {
      Tensor counts = math.counts(Shape.SCALAR, new int[] {gathered});
      return List.of(math.divide(Objects.requireNonNull(sum), counts, step));
    }
  }
}
