package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Computes the steps that depend on constants only, once, when their program is built: window
 * functions, grids of coordinates, filter banks. A step that fails stays in the program, and fails
 * when it runs. Not thread-safe.
 */
final class ConstantFolding {
  /** The bound on the bytes of all constants that are computed for one program. */
  private static final long MAX_BYTES = 16 << 20;

  private final FunctionLibrary library;
  private long left = MAX_BYTES;

  ConstantFolding(FunctionLibrary library) {
    this.library = library;
  }

  /**
   * The outputs of {@code step}, the step of {@code node}; empty if they are no constants, or might
   * be large.
   *
   * @param shapes the inferred shapes of the outputs
   * @param constants the registers that hold constants
   */
  Optional<List<Tensor>> outputs(
      Node node, Step step, List<Shape> shapes, Map<Integer, Tensor> constants) {
    if (!isFunctionOfInputs(node)
        || shapes.isEmpty()
        || !constants.keySet().containsAll(step.inputs())
        || !takeBytes(step.node().outputTypes(), shapes)) {
      return Optional.empty();
    }
    List<Tensor> inputs = step.inputs().stream().map(constants::get).toList();
    return computed(step.node(), inputs);
  }

  /** Whether the node's outputs follow from its inputs, by a kernel that is sure to end. */
  private boolean isFunctionOfInputs(Node node) {
    return library.effect(node) == Effect.NONE
        && !node.op().mayWait()
        && FunctionLibrary.callees(node.attrs().values()).isEmpty();
  }

  private boolean takeBytes(List<DataType> types, List<Shape> shapes) {
    long bytes = 0;
    for (int i = 0; i < shapes.size(); i++) {
      if (!shapes.get(i).isKnown() || !holdsElements(types.get(i))) {
        return false;
      }
      double elements = 1;
      for (long size : shapes.get(i).dimensions()) {
        elements *= size;
      }
      if (elements > left) {
        return false;
      }
      bytes += ((long) elements) * types.get(i).byteSize();
    }
    if (bytes > left) {
      return false;
    }
    left -= bytes;
    return true;
  }

  /** Whether tensors of {@code dtype} are arrays of elements of a fixed size. */
  private static boolean holdsElements(DataType dtype) {
    return dtype != DataType.STRING && dtype != DataType.RESOURCE && dtype != DataType.VARIANT;
  }

  private static Optional<List<Tensor>> computed(NodeSpec node, List<Tensor> inputs) {
    @Nullable Tensor[] registers = new Tensor[inputs.size() + node.outputTypes().size()];
    List<Integer> read = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      registers[i] = inputs.get(i);
      read.add(i);
    }
    StepCall call = new StepCall(StepContext.standalone(), registers);
    call.at(read, inputs.size());
    try {
      if (!(CpuKernels.create(node) instanceof Kernel.Sync kernel)) {
        return Optional.empty();
      }
      kernel.compute(call);
    } catch (RuntimeException e) {
      return Optional.empty(); // The run reports the error, with the node's name.
    }
    List<Tensor> outputs = new ArrayList<>();
    for (int i = inputs.size(); i < registers.length; i++) {
      Tensor output = registers[i];
      if (output == null) {
        return Optional.empty();
      }
      outputs.add(output);
    }
    return Optional.of(outputs);
  }
}
