package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A {@link Rendezvous} within a process. */
public final class LocalRendezvous implements Rendezvous {
  /*
   * A key is in exactly one of `sent` and `waiting`: whichever side comes second takes it out.
   */
  private final Map<String, Value> sent = new HashMap<>();
  private final Map<String, CompletableFuture<Value>> waiting = new HashMap<>();
  private @Nullable StatusException aborted;

  @Override
  public void send(String key, Value value) {
    CompletableFuture<Value> waiter;
    synchronized (this) {
      if (aborted != null) {
        throw aborted;
      }
      waiter = waiting.remove(key);
      if (waiter == null && sent.putIfAbsent(key, value) != null) {
        throw StatusException.of(StatusCode.ABORTED, "Duplicated send: %s", key);
      }
    }
    if (waiter != null) {
      waiter.complete(value);
    }
  }

  @Override
  public synchronized CompletableFuture<Value> receive(String key) {
    if (aborted != null) {
      return CompletableFuture.failedFuture(aborted);
    }
    Value value = sent.remove(key);
    if (value != null) {
      return CompletableFuture.completedFuture(value);
    }
    CompletableFuture<Value> waiter = new CompletableFuture<>();
    if (waiting.putIfAbsent(key, waiter) != null) {
      return CompletableFuture.failedFuture(
          StatusException.of(StatusCode.ABORTED, "Duplicated receive: %s", key));
    }
    return waiter;
  }

  @Override
  public void abort(StatusException reason) {
    List<CompletableFuture<Value>> waiters;
    synchronized (this) {
      if (aborted == null) {
        aborted = reason;
      }
      waiters = new ArrayList<>(waiting.values());
      waiting.clear();
      sent.clear();
    }
    waiters.forEach(waiter -> waiter.completeExceptionally(reason));
  }
}
