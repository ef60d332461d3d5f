package io.headrace.dispatcher;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Scripted workers that answer, refuse or stay silent. Unknown addresses refuse. */
final class FakeWorkerNetwork implements WorkerNetwork {
  private final Map<String, Node> nodes = new HashMap<>();
  private final List<String> forgotten = new ArrayList<>();
  private final Set<String> hurried = new LinkedHashSet<>();
  private int probes;

  /** A worker at an address. */
  static final class Node {
    private final Map<Long, TaskDef> tasks = new HashMap<>();
    private final Set<CompletableFuture<?>> unanswered = new LinkedHashSet<>();
    private boolean silent;

    /** The tasks sent to it. */
    Map<Long, TaskDef> tasks() {
      return tasks;
    }
  }

  /** Starts a worker without tasks. */
  Node start(String address) {
    Node node = new Node();
    nodes.put(address, node);
    return node;
  }

  /** Stops the worker at {@code address}; its address refuses from now on. */
  void stop(String address) {
    nodes.remove(address);
  }

  /** Makes the worker neither answer nor refuse. */
  void freeze(String address) {
    node(address).silent = true;
  }

  void thaw(String address) {
    node(address).silent = false;
    node(address).unanswered.clear();
  }

  /** The addresses whose workers were asked for a heartbeat. */
  Set<String> hurried() {
    return hurried;
  }

  int probes() {
    return probes;
  }

  List<String> forgotten() {
    return forgotten;
  }

  @Override
  public CompletableFuture<Set<Long>> tasks(String address) {
    probes++;
    @Nullable Node node = nodes.get(address);
    return node == null ? refused(address) : answer(node, Set.copyOf(node.tasks.keySet()));
  }

  @Override
  public CompletableFuture<Boolean> confirm(String address, long incarnation) {
    return tasks(address).thenApply(_ -> true);
  }

  @Override
  public CompletableFuture<Set<String>> hosts(String address) {
    return CompletableFuture.completedFuture(Set.of());
  }

  @Override
  public CompletableFuture<Boolean> process(TaskDef task) {
    @Nullable Node node = nodes.get(task.getWorkerAddress());
    if (node == null) {
      return refused(task.getWorkerAddress());
    }
    if (!node.silent) {
      node.tasks.put(task.getTaskId(), task);
    }
    return answer(node, true);
  }

  @Override
  public CompletableFuture<Boolean> hurry(String address) {
    hurried.add(address);
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public void forget(String address) {
    forgotten.add(address);
  }

  @Override
  public void close() {
    nodes.clear();
  }

  private static <R> CompletableFuture<R> answer(Node node, R answer) {
    if (node.silent) {
      CompletableFuture<R> never = new CompletableFuture<>();
      node.unanswered.add(never);
      return never;
    }
    return CompletableFuture.completedFuture(answer);
  }

  private static <R> CompletableFuture<R> refused(String address) {
    return CompletableFuture.failedFuture(
        new StatusException(StatusCode.UNAVAILABLE, "connection refused: " + address));
  }

  private Node node(String address) {
    @Nullable Node node = nodes.get(address);
    if (node == null) {
      throw new AssertionError("no worker at " + address);
    }
    return node;
  }
}
