package io.headrace.fakecuda.driver;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The failures that a test has asked for, by the counts of calls. Used under the driver's lock. */
final class Failures {
  private final Map<String, Integer> calls = new HashMap<>();
  private final Map<String, Map<Integer, CudaError>> planned = new HashMap<>();

  /** Lets the {@code nth} call of a function from now on fail; 1 is the next one. */
  void plan(String function, int nth, CudaError error) {
    planned
        .computeIfAbsent(function, _ -> new HashMap<>())
        .put(calls.getOrDefault(function, 0) + nth, error);
  }

  /** Counts a call; the error with which it fails. */
  Optional<CudaError> onCall(String function) {
    int count = calls.merge(function, 1, Integer::sum);
    return Optional.ofNullable(planned.getOrDefault(function, Map.of()).get(count));
  }

  /** The calls of a function so far. */
  int calls(String function) {
    return calls.getOrDefault(function, 0);
  }
}
