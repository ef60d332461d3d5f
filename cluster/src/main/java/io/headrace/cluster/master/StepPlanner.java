package io.headrace.cluster.master;

import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.Partitioner;
import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.plan.StepGraph;
import io.headrace.cluster.plan.StepNode;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Plans a session's steps: partitions their graphs and registers each partition at its task.
 * Thread-safe.
 */
final class StepPlanner {
  private final MasterSession.Setting session;
  private final DeviceSet devices;
  private final AtomicLong addedNodes = new AtomicLong();

  StepPlanner(MasterSession.Setting session) {
    this.session = session;
    this.devices = session.graphs().devices();
  }

  /** The plan of {@code signature}; blocks until its graphs are registered. */
  RefCountedPlan plan(SessionGraph current, StepSignature signature) {
    StepGraph step = StepGraph.build(current, signature, devices.client());
    Map<DeviceSpec, List<StepNode>> parts = Partitioner.partition(step.nodes(), addedNodes);
    DeviceSpec client = devices.client().spec().taskOnly();
    List<CompletableFuture<StepPlan.Part>> registered = new ArrayList<>();
    parts.forEach((task, nodes) -> {
      GraphDef definition = Partitioner.written(nodes, current);
      WorkerPeer peer = worker(task);
      registered.add(
          register(task, peer, definition)
              .thenApply(
                  name -> new StepPlan.Part(task, peer, name, definition, task.equals(client))));
    });
    FutureWaits.awaitAll(registered);
    StepPlan plan =
        new StepPlan(
            signature,
            registered.stream().map(CompletableFuture::join).toList(),
            step.feeds(),
            step.fetches());
    return new RefCountedPlan(plan, this::deregister);
  }

  /** Deregisters the graphs of an unused plan at their tasks. */
  private void deregister(StepPlan plan) {
    for (StepPlan.Part part : plan.parts()) {
      try {
        var _ =
            part.peer().deregisterGraph(session.handle(), part.graph()).exceptionally(_ -> null);
      } catch (StatusException e) {
        // The session is closed at that task, and its graphs are gone.
      }
    }
  }

  private CompletableFuture<String> register(
      DeviceSpec task, WorkerPeer peer, GraphDef definition) {
    CompletableFuture<String> registered;
    try {
      registered = peer.registerGraph(session.handle(), definition, session.config());
    } catch (StatusException e) {
      registered = CompletableFuture.failedFuture(e);
    }
    return registered.exceptionallyCompose(failure -> {
      StatusException e = FutureWaits.status(failure);
      return CompletableFuture.failedFuture(
          new StatusException(e.code(), "From " + task + ":\n" + e.message(), e));
    });
  }

  private WorkerPeer worker(DeviceSpec task) {
    WorkerPeer worker = session.workers().get(task);
    if (worker == null) {
      throw new IllegalStateException("nodes were placed at " + task + ", which takes no part");
    }
    return worker;
  }
}
