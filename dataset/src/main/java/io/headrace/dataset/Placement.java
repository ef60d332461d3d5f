package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.execute.PinnedPlan;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.function.Supplier;

/**
 * The device that a map function is pinned to: one of the workers that run it, or of another task
 * of their cluster. Immutable and thread-safe.
 *
 * <pre>{@code
 * dataset.map(x -> x.cast(DataType.FLOAT32).div(255f), Placement.device("/gpu:0"))
 * }</pre>
 *
 * <p>It has the effect of a scope of {@link Ops#device} around all that the function does. A scope
 * within the function is stronger, for the parts of the device's name that it gives.
 *
 * @param device the device, as TensorFlow names devices: {@code /gpu:0}, {@code /device:GPU:0}, or
 *     {@code /job:gpu/task:1/device:GPU:0}; parts that are missing default to the worker itself and
 *     its first device
 * @param isStrict whether a function is refused of which the CPU would run a part, as {@link
 *     #strict} says
 */
public record Placement(String device, boolean isStrict) {
  /**
   * Validates the device.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed, or empty
   */
  public Placement {
    requireNonNull(device, "device is null");
    if (DeviceSpec.parse(device).equals(DeviceSpec.ANY)) {
      throw StatusException.invalidArgument(
          "a placement names a device, such as /gpu:0, and '%s' means any", device);
    }
  }

  /**
   * The placement on {@code device}; what a GPU does not run, the worker's CPU runs beside it.
   *
   * @throws StatusException INVALID_ARGUMENT if the device is malformed, or empty
   */
  public static Placement device(String device) {
    requireNonNull(device, "device is null");
    return new Placement(device, false);
  }

  /**
   * The same placement for functions that a GPU runs as a whole. {@code map} refuses others with
   * FAILED_PRECONDITION, which names the first op and node without a GPU kernel: the worker would
   * copy that node's inputs to the CPU. Parts that the function pins elsewhere itself are not
   * counted. {@link Dataset#explain} lists all of them.
   */
  public Placement strict() {
    return new Placement(device, true);
  }

  /** Calls {@code body}, whose nodes are pinned. */
  <T> T pinned(Supplier<T> body) {
    try (var _ = Ops.device(device)) {
      return body.get();
    }
  }

  /** Refuses {@code function} if the placement is strict and a CPU would run a part of it. */
  void check(TracedFunction function) {
    if (!isStrict) {
      return;
    }
    FunctionDefLibrary library =
        FunctionDefLibrary.newBuilder().addAllFunction(function.library().values()).build();
    for (PinnedPlan plan :
        new FunctionLibrary(library, OpRegistry.standard()).pinnedPlans(function.name())) {
      for (PinnedPlan.CpuNode node : plan.onCpu()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "the placement on %s is strict, and the CPU would run op %s (node %s): %s",
            plan.device(),
            node.op(),
            node.node(),
            node.reason());
      }
    }
  }
}
