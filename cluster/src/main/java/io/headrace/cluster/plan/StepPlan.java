package io.headrace.cluster.plan;

import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.DeviceSpec;
import java.util.List;

/**
 * How steps of a signature run: which graph at which task. Immutable.
 *
 * @param signature what is asked for
 * @param parts the graphs
 * @param feeds the keys and dtypes of what is fed, by name
 * @param fetches those of what is fetched
 */
public record StepPlan(
    Signature signature, List<Part> parts, StepGraph.Ends feeds, StepGraph.Ends fetches) {
  /**
   * The graph at one task.
   *
   * @param task the task
   * @param peer its worker
   * @param graph what the worker calls the graph
   * @param definition the graph itself
   * @param isClients whether feeds come in and fetches leave there
   */
  public record Part(
      DeviceSpec task, WorkerPeer peer, String graph, GraphDef definition, boolean isClients) {}
}
