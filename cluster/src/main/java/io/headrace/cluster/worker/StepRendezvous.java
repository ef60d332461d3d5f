package io.headrace.cluster.worker;

import io.headrace.runtime.execute.LocalRendezvous;
import io.headrace.runtime.execute.Rendezvous;
import io.headrace.runtime.status.StatusException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The rendezvous of one step at one task: tensors sent by this task wait here for their receivers,
 * and tensors sent by other tasks are requested from these (RecvTensor). Thread-safe.
 */
final class StepRendezvous implements Rendezvous {
  private final LocalRendezvous local;
  private final Predicate<String> isLocal;
  private final Remote remote;

  /** Receives tensors from other tasks. */
  @FunctionalInterface
  interface Remote {
    /** The tensor sent under {@code key}; cancelling the future cancels the request. */
    CompletableFuture<Value> receive(String key);
  }

  /** The outstanding requests to other tasks by number, for abort() to fail. */
  private final Map<Long, CompletableFuture<Value>> outstanding = new ConcurrentHashMap<>();

  private final AtomicLong requestNumbers = new AtomicLong();

  StepRendezvous(LocalRendezvous local, Predicate<String> isLocal, Remote remote) {
    this.local = local;
    this.isLocal = isLocal;
    this.remote = remote;
  }

  @Override
  public CompletableFuture<Void> send(String key, Value value) {
    return local.send(key, value);
  }

  @Override
  public CompletableFuture<Value> receive(String key) {
    if (isLocal.test(key)) {
      return local.receive(key);
    }
    CompletableFuture<Value> answer = remote.receive(key);
    long number = requestNumbers.incrementAndGet();
    outstanding.put(number, answer);
    var _ = answer.whenComplete((_, _) -> outstanding.remove(number));
    return answer;
  }

  @Override
  public void abort(StatusException reason) {
    StatusException told = reason.asReasonOfOthers();
    local.abort(told);
    for (CompletableFuture<Value> answer : outstanding.values()) {
      answer.completeExceptionally(told);
    }
  }
}
