package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.graph.DevicePin;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.RunArrays;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Computes the nodes of a program whose inputs are constants when it is compiled, not once a row:
 * windows, filter banks, normalizations, shapes. The kernels are those of the rows, so the values
 * are the same. A node that fails is left to fail in its rows.
 */
final class ConstantFolding {
  /** The bytes of a node's inputs and outputs: programs keep what is folded. */
  private static final long MAX_NODE_BYTES = 512 << 10;

  /** The bytes of all that is folded in a program. */
  private static final long MAX_PROGRAM_BYTES = 8 << 20;

  private final FunctionLibrary library;
  private final StepContext context = StepContext.standalone();
  private long foldedBytes;

  ConstantFolding(FunctionLibrary library) {
    this.library = library;
  }

  /**
   * The outputs of {@code node}; empty if they are to be computed in the steps.
   *
   * @param inputs its inputs; none if one of them is not constant
   * @param shapes the shapes of its outputs, as far as they are known
   */
  List<Tensor> fold(Node node, NodeSpec spec, List<Tensor> inputs, List<Shape> shapes) {
    if (inputs.isEmpty()
        || !isFoldable(node)
        || spec.callsFunctions()
        || !isSmall(node, inputs, shapes)) {
      return List.of();
    }
    try {
      return CpuKernels.create(spec) instanceof Kernel.Sync kernel
          ? keep(compute(kernel, spec, inputs))
          : List.of();
    } catch (StatusException e) {
      return List.of();
    }
  }

  /** Whether the outputs of {@code node} are plain values that depend on nothing but its inputs. */
  private boolean isFoldable(Node node) {
    for (int i = 0; i < node.inputs().size(); i++) {
      if (node.isRefInput(i)) {
        return false;
      }
    }
    for (int i = 0; i < node.outputTypes().size(); i++) {
      if (node.isRefOutput(i) || node.outputTypes().get(i).kind() == ElementKind.REFERENCE) {
        return false;
      }
    }
    return !node.outputTypes().isEmpty()
        && node.op().touches().isEmpty()
        && DevicePin.of(node).isEmpty()
        && library.effect(node) == Effect.NONE
        && !library.mayWait(node);
  }

  private boolean isSmall(Node node, List<Tensor> inputs, List<Shape> shapes) {
    long bytes = 0;
    for (Tensor input : inputs) {
      bytes += input.byteSize();
    }
    for (int i = 0; i < shapes.size(); i++) {
      if (!shapes.get(i).isKnown()) {
        return false;
      }
      bytes += bytes(node.outputTypes().get(i), shapes.get(i));
    }
    return bytes <= MAX_NODE_BYTES && foldedBytes + bytes <= MAX_PROGRAM_BYTES;
  }

  /** The size of a tensor, of strings without their bytes; of large ones, one that is too large. */
  private static long bytes(DataType dtype, Shape shape) {
    long elements = 1;
    for (long size : shape.dimensions()) {
      elements = Math.min(elements * Math.min(size, MAX_NODE_BYTES + 1), MAX_NODE_BYTES + 1);
    }
    return elements * Math.max(1, dtype.kind().elementBytes());
  }

  private List<Tensor> compute(Kernel.Sync kernel, NodeSpec spec, List<Tensor> inputs) {
    @Nullable Tensor[] registers = new Tensor[inputs.size() + spec.outputTypes().size()];
    List<Integer> inputRegisters = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      registers[i] = inputs.get(i);
      inputRegisters.add(i);
    }
    StepCall call = new StepCall(context, registers);
    call.at(inputRegisters, inputs.size());
    Step step = new Step(spec, inputRegisters, inputs.size(), false, List.of(), Optional.empty());
    try (var _ = RunArrays.begin()) { // a run that this one is in must not reuse constants
      SequentialRun.compute(kernel, call, step);
    }
    List<Tensor> outputs = new ArrayList<>();
    for (int i = inputs.size(); i < registers.length; i++) {
      Tensor output = registers[i];
      if (output == null) {
        return List.of();
      }
      outputs.add(output.detach());
    }
    return outputs;
  }

  private List<Tensor> keep(List<Tensor> outputs) {
    long bytes = outputs.stream().mapToLong(Tensor::byteSize).sum();
    if (bytes > MAX_NODE_BYTES) {
      return List.of();
    }
    foldedBytes += bytes;
    return outputs;
  }
}
