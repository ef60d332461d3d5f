package io.headrace.runtime.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The accelerators of this process, for the parts of functions that are pinned to them; other pins
 * go to the devices of the cluster. Nodes for which an accelerator has no kernel run on the CPU
 * beside it. A call runs on its caller's thread. Thread-safe.
 */
public final class AcceleratorDevices implements RemoteDevices {
  private final DeviceSpec own;
  private final List<Accelerator> accelerators;
  private final OpRegistry ops;
  private final RemoteDevices others;
  private final Resources resources = new Resources();

  @GuardedBy("this")
  private final Map<Key, CallableFunction> functions = new HashMap<>();

  /** A function and, for many rows, which of its inputs have them. */
  private record Key(PinnedFunction function, Optional<List<Boolean>> isRows) {}

  /**
   * The accelerators of {@code device}'s task.
   *
   * @param device the device of the functions whose parts are pinned
   * @param accelerators stay the caller's
   * @param ops the ops of functions
   * @param others the devices of other tasks, which {@link #close} closes
   */
  public AcceleratorDevices(
      Device device, List<Accelerator> accelerators, OpRegistry ops, RemoteDevices others) {
    this.own = DeviceSpec.parse(device.name()).taskOnly();
    this.accelerators = List.copyOf(accelerators);
    this.ops = ops;
    this.others = others;
  }

  @Override
  public void check(String pin) {
    if (find(pin).isEmpty()) {
      others.check(pin);
    }
  }

  /** The accelerator of {@code pin}; none if it means a CPU or another task. */
  private Optional<Accelerator> find(String pin) {
    DeviceSpec spec = DeviceSpec.parse(pin);
    String type = spec.type().orElse(Device.CPU);
    if (type.equals(Device.CPU) || !spec.taskOnly().isCompatibleWith(own)) {
      return Optional.empty();
    }
    List<Accelerator> ofType =
        accelerators.stream().filter(device -> device.type().equals(type)).toList();
    int number = spec.id().orElse(0);
    if (number >= ofType.size()) {
      throw StatusException.invalidArgument(
          "a function is pinned to %s, and this process offers %d devices of the type %s",
          pin, ofType.size(), type);
    }
    return Optional.of(ofType.get(number));
  }

  @Override
  public CompletableFuture<List<Tensor>> call(
      PinnedFunction function, List<Tensor> inputs, Cancellation cancellation) {
    try {
      Optional<Accelerator> device = find(function.pin());
      return device.isEmpty()
          ? others.call(function, inputs, cancellation)
          : CompletableFuture.completedFuture(call(device.get(), function, inputs, cancellation));
    } catch (StatusException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<Tensor> call(
      Accelerator device, PinnedFunction function, List<Tensor> inputs, Cancellation cancellation) {
    CallableFunction instance = instance(device, new Key(function, Optional.empty()));
    StepContext step = step(device, cancellation);
    return onHost(exclusively(instance, () -> instance.call(inputs, step)));
  }

  @Override
  public CompletableFuture<List<Tensor>> callRows(
      PinnedFunction function,
      int rows,
      List<Tensor> inputs,
      List<Boolean> isRows,
      Cancellation cancellation) {
    try {
      Optional<Accelerator> device = find(function.pin());
      return device.isEmpty()
          ? others.callRows(function, rows, inputs, isRows, cancellation)
          : CompletableFuture.completedFuture(
              callRows(device.get(), function, rows, inputs, isRows, cancellation));
    } catch (StatusException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<Tensor> callRows(
      Accelerator device,
      PinnedFunction function,
      int rows,
      List<Tensor> inputs,
      List<Boolean> isRows,
      Cancellation cancellation) {
    CallableFunction instance =
        instance(device, new Key(function, Optional.of(List.copyOf(isRows))));
    List<Column> columns = new ArrayList<>();
    List<Tensor> captured = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      if (isRows.get(i)) {
        columns.add(new Column.Stacked(inputs.get(i)));
      } else {
        captured.add(inputs.get(i));
      }
    }
    StepContext step = step(device, cancellation);
    RowsResult result =
        exclusively(instance, () -> instance.callRows(rows, columns, captured, step));
    StatusException failure = result.failure();
    if (failure != null) {
      throw failure;
    }
    return onHost(result.columns().stream().map(column -> Column.stack(column).tensor()).toList());
  }

  /** The results without the device's memory: stages behind may keep them for long. */
  private static List<Tensor> onHost(List<Tensor> results) {
    return results.stream().map(TensorMemory::onHost).toList();
  }

  /** Runs {@code call}, while no other thread does, if the function has state. */
  private static <T> T exclusively(CallableFunction function, Supplier<T> call) {
    if (!function.isStateful()) {
      return call.get();
    }
    synchronized (function) {
      return call.get();
    }
  }

  private StepContext step(Accelerator device, Cancellation cancellation) {
    long number =
        accelerators.subList(0, accelerators.indexOf(device)).stream()
            .filter(before -> before.type().equals(device.type()))
            .count();
    String name = "%s/device:%s:%d".formatted(own, device.type(), number);
    return new StepContext(0, new Device(name, device.type()), resources, cancellation);
  }

  private synchronized CallableFunction instance(Accelerator device, Key key) {
    return functions.computeIfAbsent(key, k -> instantiate(device, k));
  }

  private CallableFunction instantiate(Accelerator device, Key key) {
    FunctionDef definition =
        key.isRows().map(key.function()::withRowsFirst).orElse(key.function().definition());
    FunctionDefLibrary library =
        FunctionDefLibrary.newBuilder()
            .addFunction(definition)
            .addAllFunction(key.function().library())
            .build();
    return new FunctionLibrary(library, ops)
        .instantiateOn(
            definition.getSignature().getName(), new KernelsBesideTheCpu(device.kernels()));
  }

  @Override
  public void close() {
    resources.close();
    others.close();
  }

  /** An accelerator's kernels, and the CPU's for the nodes that it does not run. */
  private record KernelsBesideTheCpu(DeviceKernels device) implements DeviceKernels {
    @Override
    public Kernel create(NodeSpec node) {
      return AcceleratedNodes.areRun(node.op(), node.attrs(), node.inputTypes(), node.outputTypes())
          ? device.create(node)
          : CpuKernels.create(node);
    }

    @Override
    public Kernel.Sync fused(String node, LoopProgram program, Kernel.Sync host) {
      return device.fused(node, program, host);
    }

    @Override
    public Optional<StridedKernel> strided(String node, LoopProgram program) {
      return device.strided(node, program);
    }

    @Override
    public boolean fusesMovements() {
      return device.fusesMovements();
    }
  }
}
