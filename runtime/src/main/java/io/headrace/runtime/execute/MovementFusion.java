package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.ScalarConstants;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Fuses steps that move elements with elementwise steps around them, for devices that read the
 * operands of a scalar program in any order ({@link StridedKernel}). Each group becomes one step.
 */
final class MovementFusion {
  /** The maximum number of steps per group. */
  private static final int MAX_STEPS = 64;

  private final Program program;
  private final Map<Integer, Tensor> constants = new HashMap<>();

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

  /** The registers that the host reads. */
  private final Set<Integer> parameters = new HashSet<>();

  private MovementFusion(Program program) {
    this.program = program;
    this.groupOf = new int[program.steps().size()];
    for (int i = 0; i < program.initial().size(); i++) {
      int register = i;
      program.initial().get(i).ifPresent(value -> constants.put(register, value));
    }
    program.results().forEach(result -> readersOf(result).add(-1));
  }

  /** {@code program} with fused groups. */
  static Program fuse(Program program) {
    return program.order().isPresent() ? program : new MovementFusion(program).fused();
  }

  /** Whether {@code group}, the group of a step, is one of those that this class makes. */
  static boolean hasMovements(Program group) {
    List<FusedRole> roles = group.steps().stream().map(FusedRole::of).toList();
    return !roles.contains(FusedRole.NONE)
        && roles.stream().anyMatch(role -> role != FusedRole.ELEMENTWISE);
  }

  private Set<Integer> readersOf(int register) {
    return readers.computeIfAbsent(register, _ -> new LinkedHashSet<>());
  }

  private Program fused() {
    for (int i = groupOf.length - 1; i >= 0; i--) {
      assign(i);
    }
    List<Step> result = new ArrayList<>();
    boolean any = false;
    for (int i = 0; i < groupOf.length; i++) {
      if (groupOf[i] == i) {
        List<Step> members = groups.getOrDefault(i, List.of()).reversed();
        boolean isFused = gains(members);
        any |= isFused;
        result.addAll(isFused ? List.of(fused(i, members)) : members);
      }
    }
    return any ? program.withSteps(Program.withDead(result, program.results())) : program;
  }

  private void assign(int position) {
    Step step = program.steps().get(position);
    FusedRole role = FusedRole.of(step);
    int group = position;
    Set<Integer> wanted = readersOf(step.firstOutput());
    if (role != FusedRole.NONE
        && wanted.size() == 1
        && !parameters.contains(step.firstOutput())
        && canJoin(step, role, wanted.iterator().next())) {
      group = wanted.iterator().next();
    }
    groupOf[position] = group;
    groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(step);
    Set<Integer> groupReads = reads.computeIfAbsent(group, _ -> new LinkedHashSet<>());
    groupReads.remove(step.firstOutput());
    groupReads.addAll(external(step, role));
    for (int input : step.inputs()) {
      readersOf(input).add(group);
    }
    role.parameters(step).forEach(index -> parameters.add(step.inputs().get(index)));
  }

  private boolean canJoin(Step step, FusedRole role, int group) {
    if (group < 0 || FusedRole.of(program.steps().get(group)) == FusedRole.NONE) {
      return false;
    }
    Set<Integer> joined = new LinkedHashSet<>(reads.getOrDefault(group, Set.of()));
    joined.addAll(external(step, role));
    return groups.getOrDefault(group, List.of()).size() < MAX_STEPS
        && joined.size() <= ElementwiseKernel.MAX_INPUTS;
  }

  /** The inputs of a step that are inputs of its group: no constants that the group knows. */
  private Set<Integer> external(Step step, FusedRole role) {
    Set<Integer> external = new LinkedHashSet<>();
    role.operands(step).map(step.inputs()::get).filter(r -> !isScalar(r)).forEach(external::add);
    role.parameters(step)
        .map(step.inputs()::get)
        .filter(register -> !constants.containsKey(register))
        .forEach(external::add);
    return external;
  }

  private boolean isScalar(int register) {
    Tensor constant = constants.get(register);
    return constant != null && ScalarConstants.isScalar(constant);
  }

  /** Whether a group would be several launches, and not of elementwise steps alone. */
  private static boolean gains(List<Step> members) {
    List<FusedRole> roles = members.stream().map(FusedRole::of).toList();
    return roles.stream().filter(role -> role != FusedRole.RESHAPES).count() > 1
        && roles.stream().anyMatch(role -> role != FusedRole.ELEMENTWISE);
  }

  private Step fused(int group, List<Step> members) {
    Step root = program.steps().get(group);
    List<Integer> inputs = List.copyOf(reads.getOrDefault(group, Set.of()));
    Program whole = new SubprogramBuilder(inputs, constants).build(root.node().name(), members);
    return new Step(root.node(), inputs, root.firstOutput(), false, List.of(), Optional.of(whole));
  }
}
