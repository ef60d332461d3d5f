package io.headrace.cluster.plan;

import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The signature of a step: its feeds, fetches and targets. Steps with equal signatures run the same
 * nodes and share a plan. Tensor names have the canonical form {@code node:output}.
 *
 * @param feeds the names of the fed tensors, sorted
 * @param fetches the names of the fetched tensors, sorted
 * @param targets the names of the target nodes, sorted
 * @param connections tensor connections: for each replaced tensor the one that replaces it
 * @param isPartial whether the step is a partial run
 */
public record StepSignature(
    List<String> feeds,
    List<String> fetches,
    List<String> targets,
    Map<String, String> connections,
    boolean isPartial) {
  /** Validates and canonicalizes a client's request. */
  public static StepSignature of(
      List<String> feeds,
      List<String> fetches,
      List<String> targets,
      Map<String, String> connections,
      boolean isPartial) {
    Set<String> fed = new TreeSet<>();
    for (String feed : feeds) {
      if (!fed.add(canonical(feed))) {
        throw StatusException.invalidArgument(
            "Endpoint \"%s\" fed more than once.", canonical(feed));
      }
    }
    connections
        .keySet()
        .forEach(to -> {
          if (!fed.add(canonical(to))) {
            throw StatusException.invalidArgument("Endpoint \"%s\" fed more than once.", to);
          }
        });
    Set<String> fetched = new TreeSet<>();
    for (String fetch : fetches) {
      String name = canonical(fetch);
      if (fed.contains(name)) {
        throw StatusException.invalidArgument("%s is both fed and fetched.", name);
      }
      fetched.add(name);
    }
    if (fetched.isEmpty() && targets.isEmpty()) {
      throw StatusException.invalidArgument(
          "Must specify at least one target to fetch or execute.");
    }
    Map<String, String> connected = new TreeMap<>();
    connections.forEach((to, from) -> connected.put(canonical(to), canonical(from)));
    fed.removeAll(connected.keySet());
    Set<String> run = new HashSet<>();
    targets.forEach(target -> run.add(TensorName.parse(target).node()));
    return new StepSignature(
        List.copyOf(fed),
        List.copyOf(fetched),
        run.stream().sorted().toList(),
        connected,
        isPartial);
  }

  /** The canonical form {@code node:output} of a tensor name. */
  public static String canonical(String name) {
    return TensorName.parse(name).toString();
  }
}
