package io.headrace.runtime.execute;

import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The nodes that a GPU runs, as far as a graph's master can tell. */
public final class AcceleratedNodes {
  /**
   * The ops that only pass tensors on, keep them, read their shapes, or call functions: a node of
   * them that is placed on a GPU runs on the host, and its tensors stay where they are.
   */
  private static final Set<String> CARRIERS =
      Set.of(
          "Assign",
          "AssignAdd",
          "AssignSub",
          "Case",
          "Const",
          "ControlTrigger",
          "Enter",
          "Exit",
          "ExpandDims",
          "Identity",
          "IdentityN",
          "If",
          "IsVariableInitialized",
          "LoopCond",
          "Merge",
          "NextIteration",
          "NoOp",
          "PartitionedCall",
          "Placeholder",
          "PlaceholderWithDefault",
          "PreventGradient",
          "Rank",
          "RefEnter",
          "RefExit",
          "RefIdentity",
          "RefMerge",
          "RefNextIteration",
          "RefSwitch",
          "Reshape",
          "Shape",
          "ShapeN",
          "Size",
          "Squeeze",
          "StatefulPartitionedCall",
          "StatelessCase",
          "StatelessIf",
          "StatelessWhile",
          "StopGradient",
          "Switch",
          "Variable",
          "VariableV2",
          "While",
          "_Arg",
          "_HostRecv",
          "_HostSend",
          "_Recv",
          "_Retval",
          "_Send",
          "_SwitchN");

  private AcceleratedNodes() {}

  /** Whether a GPU runs nodes of this kind, by {@link #isComputed} or {@link #isCarried}. */
  public static boolean areRun(
      Op op, Attrs attrs, List<DataType> inputTypes, List<DataType> outputTypes) {
    return isCarried(op, inputTypes, outputTypes) || isComputed(op, attrs, inputTypes, outputTypes);
  }

  /**
   * Whether a node runs on the host, wherever its tensors are: it only carries them, or it works on
   * a resource or a variant, such as a variable or a dataset.
   */
  public static boolean isCarried(Op op, List<DataType> inputTypes, List<DataType> outputTypes) {
    return CARRIERS.contains(op.name())
        || inputTypes.contains(DataType.RESOURCE)
        || inputTypes.contains(DataType.VARIANT)
        || outputTypes.contains(DataType.RESOURCE)
        || outputTypes.contains(DataType.VARIANT);
  }

  /** Whether the device computes a node: it is elementwise, of real numbers and bools. */
  public static boolean isComputed(
      Op op, Attrs attrs, List<DataType> inputTypes, List<DataType> outputTypes) {
    return !inputTypes.isEmpty()
        && op.scalarRule(attrs).isPresent()
        && Stream.concat(inputTypes.stream(), outputTypes.stream())
            .allMatch(AcceleratedNodes::isArithmetic);
  }

  /** Whether the device computes {@code program}: all its values are real numbers and bools. */
  public static boolean isComputed(LoopProgram program) {
    return Stream.concat(
            program.inputs().stream(),
            program.instructions().stream().map(LoopProgram.Instruction::dtype))
        .allMatch(AcceleratedNodes::isArithmetic);
  }

  private static boolean isArithmetic(DataType dtype) {
    return dtype == DataType.BOOL || dtype.isInteger() || dtype.isFloating();
  }
}
