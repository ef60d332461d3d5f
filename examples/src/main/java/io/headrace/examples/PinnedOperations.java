package io.headrace.examples;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * A first program for a cluster: a parameter server, two workers, and a graph with operations
 * pinned to them.
 */
public final class PinnedOperations {
  private final Graph graph = new Graph();
  private final Output a;
  private final Output b;
  private final Output c;

  private PinnedOperations() {
    try (var _ = graph.device("/job:ps/task:0/cpu:0")) {
      a = graph.constant(1f);
    }
    try (var _ = graph.device("/job:worker/task:0")) {
      b = a.add(2f);
    }
    c = a.mul(b); // not pinned: runs where the session is opened
  }

  /** Runs on servers in this process; returns the value of c. */
  public static float runHere(PrintWriter out) {
    try (LocalTaskCluster tasks = LocalTaskCluster.startHere(cluster())) {
      return new PinnedOperations().run(tasks, out);
    }
  }

  /**
   * Runs on servers in separate processes; returns the value of c.
   *
   * @param command the command line of {@code headrace}, without its arguments
   */
  public static float runOnProcesses(List<String> command, PrintWriter out) {
    try (LocalTaskCluster tasks = LocalTaskCluster.startProcesses(command, cluster())) {
      return new PinnedOperations().run(tasks, out);
    }
  }

  private static ClusterSpec cluster() {
    return LocalTaskCluster.cluster(Map.of("ps", 1, "worker", 2));
  }

  private float run(LocalTaskCluster tasks, PrintWriter out) {
    String target = tasks.targets("worker").get(1);
    out.println(tasks.cluster());
    try (Session session = Session.open(target, graph)) {
      session.devices().forEach(device -> out.println("device " + device.getName()));
      List<Tensor> values = session.run(List.of(a, b, c));
      out.println("a = " + scalar(values.get(0)) + " on /job:ps/task:0/cpu:0");
      out.println("b = a + 2 = " + scalar(values.get(1)) + " on /job:worker/task:0");
      out.println("c = a * b = " + scalar(values.get(2)) + " where the session is: " + target);
      out.flush();
      return scalar(values.get(2));
    }
  }

  private static float scalar(Tensor tensor) {
    return tensor.floats()[0];
  }
}
