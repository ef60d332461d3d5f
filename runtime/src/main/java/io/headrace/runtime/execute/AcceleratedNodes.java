package io.headrace.runtime.execute;

import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.AttrSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.HostRole;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The nodes that a GPU runs, as far as a graph's master can tell. */
public final class AcceleratedNodes {
  private AcceleratedNodes() {}

  /** How a GPU runs nodes of an op. */
  public enum Support {
    /** Not at all. */
    NONE,
    /** On the host, as {@link #isCarried} says. */
    CARRIED,
    /**
     * With a kernel of its own, as {@link #isComputed} says; it may be that only some dtypes are.
     */
    COMPUTED
  }

  /** How a GPU runs nodes of {@code op}, where their attrs allow it. */
  public static Support support(Op op) {
    List<ArgSpec> arguments = Stream.concat(op.inputs().stream(), op.outputs().stream()).toList();
    if (op.hostRole() != HostRole.NONE
        || arguments.stream()
            .anyMatch(argument -> argument.type().filter(AcceleratedNodes::isOnHost).isPresent())) {
      return Support.CARRIED;
    }
    return ((op.isElementwise() && !op.inputs().isEmpty()) || op.gpuHostInputs().isPresent())
            && arguments.stream()
                .allMatch(argument -> types(op, argument).anyMatch(AcceleratedNodes::isArithmetic))
        ? Support.COMPUTED
        : Support.NONE;
  }

  private static Stream<DataType> types(Op op, ArgSpec argument) {
    AttrSpec attr = op.attr(argument.typeAttr());
    return attr == null ? argument.type().stream() : attr.types().stream();
  }

  /** Whether a GPU runs nodes of this kind, by {@link #isComputed} or {@link #isCarried}. */
  public static boolean areRun(
      Op op, Attrs attrs, List<DataType> inputTypes, List<DataType> outputTypes) {
    return isCarried(op, inputTypes, outputTypes) || isComputed(op, attrs, inputTypes, outputTypes);
  }

  /** Why a GPU does not run {@code node}; empty if it does. */
  static Optional<String> obstacle(Node node) {
    if (areRun(node.op(), node.attrs(), node.inputTypes(), node.outputTypes())) {
      return Optional.empty();
    }
    if (support(node.op()) != Support.COMPUTED) {
      return Optional.of("no GPU kernel");
    }
    String others =
        Stream.concat(node.inputTypes().stream(), node.outputTypes().stream())
            .filter(dtype -> !isArithmetic(dtype))
            .map(DataType::tfName)
            .distinct()
            .collect(Collectors.joining(", "));
    return Optional.of(
        others.isEmpty() ? "no GPU kernel with its attrs" : "no GPU kernel for " + others);
  }

  /**
   * Whether a node runs on the host, wherever its tensors are: it only carries them, or it works on
   * a resource or a variant, such as a variable or a dataset.
   */
  public static boolean isCarried(Op op, List<DataType> inputTypes, List<DataType> outputTypes) {
    return op.hostRole() != HostRole.NONE
        || Stream.concat(inputTypes.stream(), outputTypes.stream())
            .anyMatch(AcceleratedNodes::isOnHost);
  }

  private static boolean isOnHost(DataType dtype) {
    return dtype == DataType.RESOURCE || dtype == DataType.VARIANT;
  }

  /**
   * Whether the device computes a node: it is elementwise, or there is a written kernel, and its
   * inputs and outputs are real numbers and bools.
   */
  public static boolean isComputed(
      Op op, Attrs attrs, List<DataType> inputTypes, List<DataType> outputTypes) {
    boolean isElementwise = !inputTypes.isEmpty() && op.scalarRule(attrs).isPresent();
    return (isElementwise || op.gpuHostInputs().isPresent())
        && Stream.concat(inputTypes.stream(), outputTypes.stream())
            .allMatch(AcceleratedNodes::isArithmetic);
  }

  /** Whether the device's kernel of {@code op} reads its input {@code index} on the host. */
  static boolean isHostInput(Op op, Attrs attrs, int index) {
    Set<String> onHost = op.gpuHostInputs().orElse(Set.of());
    int next = 0;
    for (ArgSpec argument : op.inputs()) {
      next += argument.count(attrs);
      if (index < next) {
        return onHost.contains(argument.name());
      }
    }
    return false;
  }

  /** Whether the device computes {@code program}: all its values are real numbers and bools. */
  public static boolean isComputed(LoopProgram program) {
    return Stream.concat(
            program.inputs().stream(),
            program.instructions().stream().map(LoopProgram.Instruction::dtype))
        .allMatch(AcceleratedNodes::isArithmetic);
  }

  /** Whether the device computes values of {@code dtype}. */
  static boolean isArithmetic(DataType dtype) {
    return dtype == DataType.BOOL || dtype.isInteger() || dtype.isFloating();
  }
}
