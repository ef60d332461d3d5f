package io.headrace.fakecuda.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sets of operations under numbers, of which 0 is the empty one. Used by one thread. */
final class ReadSets {
  private final List<int[]> sets = new ArrayList<>(List.of(new int[0]));
  private final Map<List<Integer>, Integer> numbers = new HashMap<>(Map.of(List.of(), 0));

  /** Set {@code set} and {@code operation}, without those that are over before {@code latest}. */
  int with(int set, int operation, int latest, AccessOrder order) {
    if (set == 0 && order.isBefore(operation, latest)) {
      return 0;
    }
    List<Integer> members = new ArrayList<>();
    for (int member : sets.get(set)) {
      if (!order.isBefore(member, latest)) {
        members.add(member);
      }
    }
    if (!order.isBefore(operation, latest) && !members.contains(operation)) {
      members.add(operation);
    }
    members.sort(null);
    return numbers.computeIfAbsent(List.copyOf(members), this::add);
  }

  private int add(List<Integer> members) {
    sets.add(members.stream().mapToInt(Integer::intValue).toArray());
    return sets.size() - 1;
  }

  /** Whether all operations of a set are over before {@code later} begins. */
  boolean areBefore(int set, int later, AccessOrder order) {
    return set == 0
        || Arrays.stream(sets.get(set)).allMatch(member -> order.isBefore(member, later));
  }
}
