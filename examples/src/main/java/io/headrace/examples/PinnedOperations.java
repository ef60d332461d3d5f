package io.headrace.examples;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * A first program for a cluster: a parameter server, two workers, and a graph with operations
 * pinned to them.
 */
public final class PinnedOperations {
  private final String worker;
  private final Graph graph = new Graph();
  private final Output a;
  private final Output b;
  private final Output c;

  private PinnedOperations(WorkerGpus gpus) {
    worker = gpus.device(0);
    try (var _ = graph.device("/job:ps/task:0/cpu:0")) {
      a = graph.constant(1f);
    }
    try (var _ = graph.device(worker)) {
      b = a.add(2f);
    }
    c = a.mul(b); // not pinned: runs where the session is opened
  }

  /**
   * Runs on servers in this process; returns the value of c.
   *
   * @param gpus the GPUs of the workers
   */
  public static float runHere(WorkerGpus gpus, PrintWriter out) {
    try (LocalTaskCluster tasks = LocalTaskCluster.startHere(cluster(), gpus)) {
      return new PinnedOperations(gpus).run(tasks, out);
    }
  }

  /**
   * Runs on servers in separate processes; returns the value of c.
   *
   * @param command the command line of {@code headrace}, without its arguments
   * @param gpus the GPUs of the workers
   */
  public static float runOnProcesses(List<String> command, WorkerGpus gpus, PrintWriter out)
      throws IOException {
    try (LocalTaskCluster tasks = LocalTaskCluster.startProcesses(command, cluster(), gpus)) {
      return new PinnedOperations(gpus).run(tasks, out);
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
      out.println("b = a + 2 = " + scalar(values.get(1)) + " on " + worker);
      out.println("c = a * b = " + scalar(values.get(2)) + " where the session is: " + target);
      out.flush();
      return scalar(values.get(2));
    }
  }

  private static float scalar(Tensor tensor) {
    return tensor.floats()[0];
  }
}
