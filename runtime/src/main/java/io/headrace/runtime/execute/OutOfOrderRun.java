package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Order;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link Program} with steps that may wait for others, perhaps of the same program.
 * Steps after a waiting step proceed unless they depend on it. Otherwise steps run in order, on the
 * caller's thread. The first failure cancels the waiting steps. Used by one thread.
 */
final class OutOfOrderRun {
  private final Program program;
  private final Order order;
  private final Kernel[] kernels;
  private final StepContext context;
  private final Cancellation cancellation = new Cancellation();
  private final Cancellation.Registration registration;
  private final @Nullable Tensor[] registers;
  private final boolean[] done;

  /** The waiting steps. */
  private final Map<Integer, CompletableFuture<Void>> waiting = new LinkedHashMap<>();

  OutOfOrderRun(Program program, Order order, Kernel[] kernels, StepContext caller) {
    this.program = program;
    this.order = order;
    this.kernels = kernels;
    this.context = caller.withCancellation(cancellation);
    this.registration = caller.cancellation().onCancel(cancellation::cancel);
    this.registers = program.newRegisters();
    this.done = new boolean[kernels.length];
  }

  List<Tensor> run(List<Tensor> inputs) {
    for (int i = 0; i < inputs.size(); i++) {
      registers[program.arguments().get(i)] = inputs.get(i);
    }
    try {
      List<Integer> left = startReady(IntStream.range(0, kernels.length).boxed().toList());
      while (!waiting.isEmpty()) {
        awaitAny();
        left = startReady(left);
      }
    } catch (RuntimeException e) {
      cancellation.cancel();
      awaitAll();
      throw e;
    }
    if (!cancellation.hasActions()) {
      registration.close(); // nothing, such as a mutex lock, must last until the caller's step ends
    }
    return program.results().stream().map(this::result).toList();
  }

  private Tensor result(int register) {
    Tensor value = registers[register];
    if (value == null) {
      throw new IllegalStateException("register " + register + " is not set");
    }
    return value;
  }

  /** Runs those of {@code steps}, in order, whose dependencies are done; returns the others. */
  private List<Integer> startReady(List<Integer> steps) {
    List<Integer> left = new ArrayList<>();
    for (int step : steps) {
      if (order.needs().get(step).stream().allMatch(need -> done[need])) {
        cancellation.check();
        start(step);
      } else {
        left.add(step);
      }
    }
    return left;
  }

  private void start(int index) {
    Step step = program.steps().get(index);
    Kernel kernel = kernels[index];
    StepCall call = new StepCall(context, registers);
    call.at(step.inputs(), step.firstOutput());
    if (!order.mayWait().get(index)) {
      SequentialRun.compute(kernel, call, step);
      done[index] = true;
      return;
    }
    CompletableFuture<Void> result =
        switch (kernel) {
          case Kernel.Async async -> startAsync(async, call, step);
          case Kernel.Sync sync ->
              CompletableFuture.runAsync(
                  () -> SequentialRun.compute(sync, call, step), Thread::startVirtualThread);
        };
    if (result.isDone()) {
      end(index, result);
    } else {
      waiting.put(index, result);
    }
  }

  private CompletableFuture<Void> startAsync(Kernel.Async kernel, StepCall call, Step step) {
    CompletableFuture<Void> result;
    try {
      result = kernel.compute(call);
    } catch (StatusException e) {
      throw SequentialRun.atNode(e, step);
    }
    Cancellation.Registration cancels = cancellation.onCancel(() -> result.cancel(false));
    var _ = result.whenComplete((_, _) -> cancels.close());
    return result;
  }

  /** Marks a step as done; throws its error, with the node's name. */
  private void end(int index, CompletableFuture<Void> result) {
    Kernel.Async ended = _ -> result;
    SequentialRun.compute(ended, new StepCall(context, registers), program.steps().get(index));
    done[index] = true;
  }

  private void awaitAny() {
    var _ =
        CompletableFuture.anyOf(waiting.values().toArray(CompletableFuture[]::new))
            .exceptionally(_ -> null) // reported by the failed step itself
            .join();
    for (int index : List.copyOf(waiting.keySet())) {
      CompletableFuture<Void> result = Objects.requireNonNull(waiting.get(index));
      if (result.isDone()) {
        waiting.remove(index);
        end(index, result);
      }
    }
  }

  /** Waits for the cancelled steps. */
  private void awaitAll() {
    var _ =
        CompletableFuture.allOf(waiting.values().toArray(CompletableFuture[]::new))
            .exceptionally(_ -> null)
            .join();
  }
}
