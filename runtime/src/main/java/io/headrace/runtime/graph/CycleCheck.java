package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;

/** Detects cycles among nodes. The back edge of a loop, through NextIteration, does not count. */
final class CycleCheck {
  private static final int MAX_NAMED = 5;

  private CycleCheck() {}

  /**
   * Checks the nodes from {@code first} on; earlier nodes must not depend on them.
   *
   * @throws StatusException INVALID_ARGUMENT naming some of the nodes in cycles or behind them
   */
  static void check(List<Node> nodes, int first) {
    int[] awaited = new int[nodes.size()];
    List<List<Integer>> users = new ArrayList<>();
    for (int i = first; i < nodes.size(); i++) {
      users.add(new ArrayList<>());
    }
    for (int i = first; i < nodes.size(); i++) {
      int user = i;
      forEachAwaited(
          nodes,
          i,
          source -> {
            if (source >= first) {
              users.get(source - first).add(user);
              awaited[user]++;
            }
          });
    }
    Deque<Integer> ready = new ArrayDeque<>();
    for (int i = first; i < nodes.size(); i++) {
      if (awaited[i] == 0) {
        ready.add(i);
      }
    }
    int left = nodes.size() - first;
    while (!ready.isEmpty()) {
      left--;
      for (int user : users.get(ready.remove() - first)) {
        if (--awaited[user] == 0) {
          ready.add(user);
        }
      }
    }
    if (left > 0) {
      throw StatusException.invalidArgument(
          "%d nodes in a cycle: %s", left, named(nodes, first, awaited));
    }
  }

  private static void forEachAwaited(List<Node> nodes, int index, IntConsumer sources) {
    for (Endpoint input : nodes.get(index).inputs()) {
      if (!nodes.get(input.node()).op().name().endsWith("NextIteration")) {
        sources.accept(input.node());
      }
    }
    nodes.get(index).controlInputs().forEach(sources::accept);
  }

  private static String named(List<Node> nodes, int first, int[] awaited) {
    List<String> names = new ArrayList<>();
    for (int i = first; i < nodes.size() && names.size() < MAX_NAMED; i++) {
      if (awaited[i] > 0) {
        names.add(nodes.get(i).name());
      }
    }
    return String.join(", ", names);
  }
}
