package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.ScalarConstants;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Fuses elementwise steps. A step whose result is read by one group only joins that group, and each
 * group becomes one step, whose kernel is one loop.
 */
final class ElementwiseFusion {
  /** The maximum number of steps per group. */
  private static final int MAX_STEPS = 200;

  private final List<Step> steps;
  private final Map<Integer, Tensor> constants;

  /**
   * The group of each step, identified by the position of the step that computes the group's
   * result.
   */
  private final int[] groupOf;

  /** The steps of each group, last first. */
  private final Map<Integer, List<Step>> groups = new HashMap<>();

  private final Map<Integer, Set<Integer>> reads = new HashMap<>();

  /** The groups that read each register; group -1 stands for the results of the program. */
  private final Map<Integer, Set<Integer>> readers = new HashMap<>();

  private ElementwiseFusion(
      List<Step> steps, Map<Integer, Tensor> constants, List<Integer> results) {
    this.steps = steps;
    this.constants = constants;
    this.groupOf = new int[steps.size()];
    results.forEach(result -> readersOf(result).add(-1));
  }

  /**
   * Returns {@code steps} with fused groups.
   *
   * @param constants the registers that hold constants
   * @param results the registers that are read after the last step
   */
  static List<Step> fuse(List<Step> steps, Map<Integer, Tensor> constants, List<Integer> results) {
    ElementwiseFusion fusion = new ElementwiseFusion(steps, constants, results);
    for (int i = steps.size() - 1; i >= 0; i--) {
      fusion.assign(i);
    }
    return fusion.fused();
  }

  private Set<Integer> readersOf(int register) {
    return readers.computeIfAbsent(register, _ -> new LinkedHashSet<>());
  }

  private void assign(int position) {
    Step step = steps.get(position);
    int group = position;
    if (isElementwise(step)) {
      Set<Integer> wanted = readersOf(step.firstOutput());
      if (wanted.size() == 1 && canJoin(step, wanted.iterator().next())) {
        group = wanted.iterator().next();
      }
    }
    groupOf[position] = group;
    groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(step);
    Set<Integer> groupReads = reads.computeIfAbsent(group, _ -> new LinkedHashSet<>());
    groupReads.remove(step.firstOutput());
    for (int input : step.inputs()) {
      readersOf(input).add(group);
      if (!isInline(input)) {
        groupReads.add(input);
      }
    }
  }

  private static boolean isElementwise(Step step) {
    NodeSpec node = step.node();
    return !step.isStateful() && node.op().scalarRule(node.attrs()).isPresent();
  }

  private boolean isInline(int register) {
    Tensor constant = constants.get(register);
    return constant != null && ScalarConstants.isScalar(constant);
  }

  private boolean canJoin(Step step, int group) {
    if (group < 0 || !isElementwise(steps.get(group))) {
      return false;
    }
    Set<Integer> joined = new LinkedHashSet<>(reads.getOrDefault(group, Set.of()));
    joined.addAll(step.inputs());
    return groups.getOrDefault(group, List.of()).size() < MAX_STEPS
        && joined.size() <= ElementwiseKernel.MAX_INPUTS;
  }

  private List<Step> fused() {
    List<Step> result = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      if (groupOf[i] == i) {
        result.addAll(fused(i));
      }
    }
    return result;
  }

  private List<Step> fused(int group) {
    Step root = steps.get(group);
    List<Integer> inputs = List.copyOf(reads.getOrDefault(group, Set.of()));
    List<Step> members = groups.getOrDefault(group, List.of()).reversed();
    boolean gains = members.size() > 1 || root.inputs().size() > inputs.size();
    if (!isElementwise(root) || inputs.isEmpty() || !gains) {
      return members;
    }
    Program whole = new SubprogramBuilder(inputs, constants).build(root.node().name(), members);
    return List.of(
        new Step(root.node(), inputs, root.firstOutput(), false, List.of(), Optional.of(whole)));
  }
}
