package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.KernelTimes;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.RunArrays;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One run of a {@link Program} for one row. */
final class SequentialRun {
  private final Program program;
  private final Kernel[] kernels;
  private final StepContext context;
  private final @Nullable Tensor[] registers;

  private SequentialRun(Program program, Kernel[] kernels, StepContext context) {
    this.program = program;
    this.kernels = kernels;
    this.context = context;
    this.registers = program.newRegisters();
  }

  /** Runs {@code program} on {@code inputs} and returns its results. */
  static List<Tensor> run(
      Program program, Kernel[] kernels, StepContext context, List<Tensor> inputs) {
    try (RunArrays arrays = RunArrays.begin()) {
      return program.order().isPresent()
          ? new OutOfOrderRun(program, program.order().get(), kernels, context).run(inputs)
          : new SequentialRun(program, kernels, context).run(inputs, arrays);
    }
  }

  private List<Tensor> run(List<Tensor> inputs, RunArrays arrays) {
    context.cancellation().check();
    for (int i = 0; i < inputs.size(); i++) {
      registers[program.arguments().get(i)] = inputs.get(i);
    }
    StepCall call = new StepCall(context, registers);
    for (int i = 0; i < kernels.length; i++) {
      Step step = program.steps().get(i);
      call.at(step.inputs(), step.firstOutput());
      int before = arrays.count();
      compute(kernels[i], call, step);
      if (arrays.count() > 0) {
        keepUsed(kernels[i], step, arrays, before);
      }
      release(step, arrays);
    }
    List<Tensor> results = new ArrayList<>(program.results().size());
    for (int register : program.results()) {
      results.add(require(registers[register], register));
    }
    return results;
  }

  /** Marks the arrays that may be in use after the step by others than the registers. */
  private void keepUsed(Kernel kernel, Step step, RunArrays arrays, int before) {
    boolean isKept = step.mayKeep() || kernel instanceof Kernel.Async;
    if (isKept || step.callsFunctions()) {
      arrays.keepSince(before); // what functions were compiled to, too
    }
    for (int i = 0; i < step.outputs(); i++) {
      Tensor output = registers[step.firstOutput() + i];
      if (output != null && (isKept || !RunArrays.isInArray(output))) {
        isKept = true; // pieces of others, or on a device to which inputs may be on their way
        arrays.keep(output);
      }
    }
    if (isKept) {
      for (int input : step.inputs()) {
        arrays.keep(require(registers[input], input));
      }
    }
  }

  private void release(Step step, RunArrays arrays) {
    for (int register : step.dead()) {
      Tensor value = registers[register];
      registers[register] = null;
      if (value != null && arrays.count() > 0) {
        arrays.recycle(value, registers);
      }
    }
  }

  private static Tensor require(@Nullable Tensor value, int register) {
    if (value == null) {
      throw new IllegalStateException("register " + register + " is not set");
    }
    return value;
  }

  /** Runs a kernel; any exception becomes a StatusException that names the node. */
  static void compute(Kernel kernel, KernelCall call, Step step) {
    KernelTimes times = call.step().kernelTimes();
    long before = times.nanos();
    try {
      switch (kernel) {
        case Kernel.Sync sync when step.node().op().effect() == Effect.CHANGES -> {
          synchronized (sync) { // steps of a session may run the function concurrently
            sync.compute(call);
          }
        }
        case Kernel.Sync sync -> sync.compute(call);
        case Kernel.Async async -> await(async.compute(call), call.cancellation());
      }
      step.addTime(times, before);
    } catch (StatusException e) {
      throw atNode(e, step);
    } catch (OutOfMemoryError e) {
      throw new StatusException(
          StatusCode.RESOURCE_EXHAUSTED,
          "node " + step.node().name() + " ran out of memory: " + e.getMessage(),
          e);
    } catch (RuntimeException e) {
      throw new StatusException(
          StatusCode.INTERNAL,
          "op %s (node %s) failed: %s".formatted(step.node().op().name(), step.node().name(), e),
          e);
    }
  }

  /** {@code failure} with the node's name appended, as TensorFlow formats it. */
  static StatusException atNode(StatusException failure, Step step) {
    return failure.message().contains("[[{{node ")
        ? failure
        : new StatusException(
            failure.code(),
            failure.message() + " [[{{node " + step.node().name() + "}}]]",
            failure);
  }

  private static void await(CompletableFuture<Void> done, Cancellation cancellation) {
    try (var _ = cancellation.onCancel(() -> done.cancel(false))) {
      done.join();
    } catch (CancellationException e) {
      throw new StatusException(StatusCode.CANCELLED, "the operation was cancelled", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException status
          ? status
          : new StatusException(StatusCode.INTERNAL, String.valueOf(e.getCause()), e);
    }
  }
}
