package io.headrace.cluster.master;

import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** A partial run: a step whose feeds and fetches come in several requests. Thread-safe. */
final class PartialRun {
  private final MasterStep step;
  private final SessionGraph graph;
  private final Set<String> fed = new HashSet<>();
  private final Set<String> fetched = new HashSet<>();

  PartialRun(MasterStep step, SessionGraph graph) {
    this.step = step;
    this.graph = graph;
  }

  MasterStep step() {
    return step;
  }

  /**
   * Records the next part.
   *
   * @return whether it is the last part
   * @throws StatusException INVALID_ARGUMENT for a feed or fetch that was not set up or occurs
   *     twice, and for a fetch that needs a missing feed
   */
  synchronized boolean advance(Collection<String> feeds, Collection<String> fetches) {
    StepSignature signature = step.plan().signature();
    for (String feed : feeds) {
      check("feed", "fed", feed, signature.feeds().contains(feed), fed.contains(feed));
    }
    for (String fetch : fetches) {
      check(
          "fetch", "fetched", fetch, signature.fetches().contains(fetch), fetched.contains(fetch));
    }
    Set<String> missing = new HashSet<>(signature.feeds());
    missing.removeAll(fed);
    missing.removeAll(feeds);
    fetches.forEach(fetch -> checkReachable(fetch, missing));
    fed.addAll(feeds);
    fetched.addAll(fetches);
    return fed.size() == signature.feeds().size() && fetched.size() == signature.fetches().size();
  }

  private static void check(
      String what, String done, String name, boolean isSetUp, boolean isDone) {
    if (!isSetUp) {
      throw StatusException.invalidArgument(
          "The %s %s was not specified in partial_run_setup.", what, name);
    }
    if (isDone) {
      throw StatusException.invalidArgument("The %s %s has already been %s.", what, name, done);
    }
  }

  private void checkReachable(String fetch, Set<String> missingFeeds) {
    Set<String> signatureFeeds = sources(step.plan().signature().feeds());
    Set<String> missing = sources(missingFeeds);
    Deque<Integer> work = new ArrayDeque<>();
    Set<Integer> seen = new HashSet<>();
    TensorName name = graph.source(TensorName.parse(fetch));
    Integer start = graph.graph().find(name.node());
    if (start == null) {
      return;
    }
    work.add(start);
    while (!work.isEmpty()) {
      int index = work.remove();
      if (!seen.add(index)) {
        continue;
      }
      Node node = graph.graph().nodes().get(index);
      for (Endpoint input : node.inputs()) {
        String tensor = graph.graph().nodes().get(input.node()).name() + ":" + input.output();
        if (missing.contains(tensor)) {
          throw StatusException.invalidArgument(
              "Fetch %s can't be computed from the feeds that have been fed so far.", fetch);
        }
        if (!signatureFeeds.contains(tensor)) {
          work.add(input.node());
        }
      }
      work.addAll(node.controlInputs());
    }
  }

  private Set<String> sources(Collection<String> tensors) {
    return tensors.stream()
        .map(tensor -> graph.source(TensorName.parse(tensor)).toString())
        .collect(Collectors.toSet());
  }
}
