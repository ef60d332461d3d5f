package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.NodeSpec;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The part of a step in a group that a device computes in one launch. */
enum FusedRole {
  /** It computes elements. */
  ELEMENTWISE,

  /** It moves elements, mostly as one strided copy. */
  MOVES,

  /** It gives its input another shape. */
  RESHAPES,

  /** It has no part in groups. */
  NONE;

  private static final Set<String> MOVING =
      Set.of("Transpose", "ReverseV2", "Reverse", "Slice", "StridedSlice", "BroadcastTo");

  private static final Set<String> RESHAPING =
      Set.of("Reshape", "ExpandDims", "Squeeze", "Identity");

  /** The role of {@code step}. */
  static FusedRole of(Step step) {
    NodeSpec node = step.node();
    if (step.isStateful()) {
      return NONE;
    }
    if (step.group().isPresent()) {
      boolean isComputed = step.group().get().steps().stream().allMatch(FusedRole::isElementwise);
      return isComputed ? ELEMENTWISE : NONE;
    }
    if (isElementwise(step)) {
      return ELEMENTWISE;
    }
    if (MOVING.contains(node.op().name()) && isComputed(node)) {
      return MOVES;
    }
    boolean isOfNumbers =
        Stream.concat(node.inputTypes().stream(), node.outputTypes().stream())
            .allMatch(AcceleratedNodes::isArithmetic);
    return RESHAPING.contains(node.op().name()) && isOfNumbers ? RESHAPES : NONE;
  }

  private static boolean isElementwise(Step step) {
    NodeSpec node = step.node();
    return node.op().scalarRule(node.attrs()).isPresent() && isComputed(node);
  }

  private static boolean isComputed(NodeSpec node) {
    return AcceleratedNodes.isComputed(
        node.op(), node.attrs(), node.inputTypes(), node.outputTypes());
  }

  /**
   * The inputs of a step with this role whose elements become its own; the others tell how they
   * move, and the host reads them.
   */
  IntStream operands(Step step) {
    return this == ELEMENTWISE ? IntStream.range(0, step.inputs().size()) : IntStream.of(0);
  }

  /** The other inputs of such a step. */
  IntStream parameters(Step step) {
    return IntStream.range(this == ELEMENTWISE ? step.inputs().size() : 1, step.inputs().size());
  }
}
