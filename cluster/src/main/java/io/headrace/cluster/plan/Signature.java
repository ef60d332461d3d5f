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
 * What a step is asked for: which tensors are fed, which fetched, which nodes run besides. Steps of
 * one signature run the same nodes. A tensor is called {@code node:output} here, however the client
 * calls it.
 *
 * @param feeds the fed tensors, sorted
 * @param fetches the fetched ones, sorted
 * @param targets the names of the nodes, sorted
 * @param connections tensors that take the place of others, by these
 * @param isPartial whether the step comes in parts
 */
public record Signature(
    List<String> feeds,
    List<String> fetches,
    List<String> targets,
    Map<String, String> connections,
    boolean isPartial) {
  /** Checks and sorts what a client asks for. */
  public static Signature of(
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
    return new Signature(
        List.copyOf(fed),
        List.copyOf(fetched),
        run.stream().sorted().toList(),
        connected,
        isPartial);
  }

  /** {@code node:output}. */
  public static String canonical(String name) {
    return TensorName.parse(name).toString();
  }
}
