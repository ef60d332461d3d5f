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

/** The worker of a task, as masters and other workers see it: in this process or another. */
public interface WorkerPeer {
  /**
   * A worker's part of a session.
   *
   * @param handle the session's
   * @param server who the worker is to be, and in which cluster, if not in that of its server
   * @param isIsolated whether it shares no variables with other sessions
   * @param masterTask the task of the master
   * @param masterIncarnation which life of that master it is
   */
  record SessionPart(
      String handle,
      ServerDef server,
      boolean isIsolated,
      String masterTask,
      long masterIncarnation) {}

  /**
   * A step's part at a worker.
   *
   * @param session the session's handle
   * @param graph the handle of the registered graph
   * @param stepId the same for all parts
   * @param sends what the client feeds, by rendezvous key
   * @param receives the keys of what it fetches
   * @param isPartial whether the step has more such parts
   * @param isLastPartial whether this is the last of them
   * @param isTimed whether it is to be known when nodes ran
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
   * What comes of it.
   *
   * @param fetched what is fetched, by rendezvous key
   * @param times when its nodes ran; empty if it was not timed
   */
  record PartResult(Map<String, Tensor> fetched, StepStats times) {}

  /** The devices of the task. */
  CompletableFuture<List<DeviceAttributes>> status(Cancellation cancellation);

  /** Begins the worker's part of a session. */
  CompletableFuture<Void> createSession(SessionPart session);

  /** Ends it; does nothing if there is none. */
  CompletableFuture<Void> deleteSession(String handle);

  /** Takes a graph whose nodes are all placed on its devices; gives its handle. */
  CompletableFuture<String> registerGraph(String session, GraphDef graph, ConfigProto config);

  /** Forgets a registered graph. */
  CompletableFuture<Void> deregisterGraph(String session, String graph);

  /** Runs a registered graph. */
  CompletableFuture<PartResult> runGraph(StepPart step, Cancellation cancellation);

  /** What the task sends under {@code key} in a step. */
  CompletableFuture<Rendezvous.Value> receiveTensor(
      long stepId, String key, Cancellation cancellation);

  /** Forgets a step. */
  CompletableFuture<Void> cleanupGraph(long stepId);

  /** Empties containers, the default ones if none are named. */
  CompletableFuture<Void> cleanupAll(List<String> containers);
}
