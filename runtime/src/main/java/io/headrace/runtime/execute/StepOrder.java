package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Records the dependencies of the steps of a {@link Program} while it is built. */
final class StepOrder {
  private final List<List<Integer>> needs = new ArrayList<>();
  private final List<Boolean> mayWait = new ArrayList<>();

  /** The step that sets a register. */
  private final Map<Integer, Integer> makers = new HashMap<>();

  /**
   * The steps that the current node depends on through its control inputs and those of its callers.
   */
  private Set<Integer> controls = Set.of();

  /** The graph being appended: the whole graph, or the body of an inlined function. */
  final class Scope {
    private final Set<Integer> outer = controls;

    /** For each node, the steps that complete it. */
    private final List<Set<Integer>> ends = new ArrayList<>();

    private int firstStep;

    /** Begins {@code node}, the next node of the graph. */
    void begin(Node node) {
      Set<Integer> before = new TreeSet<>(outer);
      node.controlInputs().forEach(control -> before.addAll(ends.get(control)));
      controls = before;
      firstStep = needs.size();
    }

    /** Ends the current node, whose outputs are in {@code registers}. */
    void end(List<Integer> registers) {
      Set<Integer> steps = new TreeSet<>();
      if (firstStep == needs.size()) { // an argument, a constant, a call of an empty function
        steps.addAll(controls);
        addMakers(registers, steps);
      } else {
        IntStream.range(firstStep, needs.size()).forEach(steps::add);
      }
      ends.add(steps);
      controls = outer;
    }
  }

  /** Begins a graph, which inherits the dependencies of the node that calls it. */
  Scope enter() {
    return new Scope();
  }

  private void addMakers(List<Integer> registers, Set<Integer> steps) {
    for (int register : registers) {
      Integer maker = makers.get(register);
      if (maker != null) {
        steps.add(maker);
      }
    }
  }

  /** Adds the next step. */
  void add(Step step, boolean waits) {
    Set<Integer> before = new TreeSet<>(controls);
    addMakers(step.inputs(), before);
    int index = needs.size();
    for (int i = 0; i < step.outputs(); i++) {
      makers.put(step.firstOutput() + i, index);
    }
    needs.add(List.copyOf(before));
    mayWait.add(waits);
  }

  Program.Order built() {
    return new Program.Order(List.copyOf(needs), List.copyOf(mayWait));
  }
}
