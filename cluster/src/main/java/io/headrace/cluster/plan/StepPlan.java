package io.headrace.cluster.plan;

import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.DeviceSpec;
import java.util.List;

/**
 * The execution plan of a signature: a registered partition for each task. Immutable.
 *
 * @param signature the signature
 * @param parts the partitions
 * @param feeds the rendezvous keys and dtypes of the feeds, by name
 * @param fetches the rendezvous keys and dtypes of the fetches, by name
 */
public record StepPlan(
    StepSignature signature, List<Part> parts, StepGraph.Ends feeds, StepGraph.Ends fetches) {
  /**
   * The partition of one task.
   *
   * @param task the task
   * @param peer the task's worker
   * @param graph the handle of the registered graph
   * @param definition the graph
   * @param isClients whether feeds and fetches pass through this task
   */
  public record Part(
      DeviceSpec task, WorkerPeer peer, String graph, GraphDef definition, boolean isClients) {}
}
