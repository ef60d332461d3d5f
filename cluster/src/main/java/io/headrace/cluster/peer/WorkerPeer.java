package io.headrace.cluster.peer;

import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.execute.Rendezvous;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The worker service of a task, in this process or in another, as masters and other workers call
 * it.
 */
public interface WorkerPeer {
  /**
   * A CreateWorkerSession request.
   *
   * @param handle the session's handle
   * @param server the worker's task, and the cluster if it is not that of its server
   * @param isIsolated whether the session shares no variables with other sessions
   * @param masterTask the task of the master
   * @param masterIncarnation the incarnation of the master's process
   */
  record SessionPart(
      String handle,
      ServerDef server,
      boolean isIsolated,
      String masterTask,
      long masterIncarnation) {}

  /**
   * A RunGraph request: a worker's partition of a step.
   *
   * @param session the session's handle
   * @param graph the handle of the registered graph
   * @param stepId the step's id, the same at all workers
   * @param sends the client's feeds, by rendezvous key
   * @param receives the rendezvous keys of the fetches
   * @param isPartial whether the step is a partial run, with several requests
   * @param isLastPartial whether this is the last request of the partial run
   * @param isTimed whether to record when nodes ran
   */
  record StepPart(
      String session,
      String graph,
      long stepId,
      Map<String, Tensor> sends,
      List<String> receives,
      boolean isPartial,
      boolean isLastPartial,
      boolean isTimed) {}

  /**
   * The result of a worker's partition.
   *
   * @param fetched the fetched tensors, by rendezvous key
   * @param times when the nodes ran; empty if the step was not timed
   */
  record PartResult(Map<String, Tensor> fetched, StepStats times) {}

  /** The devices of the task (GetStatus). */
  CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation);

  /** Creates the session at the worker. */
  CompletableFuture<Void> createSession(SessionPart session);

  /** Deletes the session at the worker; no effect if it is unknown. */
  CompletableFuture<Void> deleteSession(String handle);

  /**
   * Registers a graph with all nodes placed on the worker's devices.
   *
   * @return the graph's handle
   */
  CompletableFuture<String> registerGraph(String session, GraphDef graph, ConfigProto config);

  /** Releases a registered graph. */
  CompletableFuture<Void> deregisterGraph(String session, String graph);

  /** Runs a registered graph. */
  CompletableFuture<PartResult> runGraph(StepPart step, Cancellation cancellation);

  /** The tensor that the task sends under {@code key} in a step. */
  CompletableFuture<Rendezvous.Value> receiveTensor(
      long stepId, String key, Cancellation cancellation);

  /** Drops the state of a step, with tensors that nobody received. */
  CompletableFuture<Void> cleanupGraph(long stepId);

  /** Clears containers; the default ones if the list is empty. */
  CompletableFuture<Void> cleanupAll(List<String> containers);
}
