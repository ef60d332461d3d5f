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
 * The rendezvous of one step at one task: what is sent here waits here, and what another task sends
 * is asked for there. Thread-safe.
 */
final class StepRendezvous implements Rendezvous {
  private final LocalRendezvous local;
  private final Predicate<String> isLocal;
  private final Remote remote;

  /** Asks another task for what it sends. */
  @FunctionalInterface
  interface Remote {
    /** What is sent under {@code key}; cancelling the result cancels the request. */
    CompletableFuture<Value> receive(String key);
  }

  /** What was asked for, by the number of the question, so that an abort can end it. */
  private final Map<Long, CompletableFuture<Value>> asked = new ConcurrentHashMap<>();

  private final AtomicLong questions = new AtomicLong();

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
    long question = questions.incrementAndGet();
    asked.put(question, answer);
    var _ = answer.whenComplete((_, _) -> asked.remove(question));
    return answer;
  }

  @Override
  public void abort(StatusException reason) {
    StatusException told = reason.asReasonOfOthers();
    local.abort(told);
    for (CompletableFuture<Value> answer : asked.values()) {
      answer.completeExceptionally(told);
    }
  }
}
