package io.headrace.runtime.execute;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A {@link Rendezvous} within a process. */
public final class LocalRendezvous implements Rendezvous {
  /* A key is in `sent` or in `waiting`: the side that comes second removes it. */
  private final Map<String, Sent> sent = new HashMap<>();
  private final Map<String, CompletableFuture<Value>> waiting = new HashMap<>();
  private @Nullable StatusException aborted;

  /** A sent value that has not been received. */
  private record Sent(Value value, CompletableFuture<Void> received) {}

  @Override
  public CompletableFuture<Void> send(String key, Value value) {
    CompletableFuture<Value> waiter;
    synchronized (this) {
      if (aborted != null) {
        throw aborted;
      }
      waiter = waiting.remove(key);
      if (waiter == null) {
        Sent added = new Sent(value, new CompletableFuture<>());
        if (sent.putIfAbsent(key, added) != null) {
          throw StatusException.of(StatusCode.ABORTED, "Duplicated send: %s", key);
        }
        return added.received();
      }
    }
    waiter.complete(value);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Value> receive(String key) {
    Sent found;
    synchronized (this) {
      if (aborted != null) {
        return CompletableFuture.failedFuture(aborted);
      }
      found = sent.remove(key);
      if (found == null) {
        CompletableFuture<Value> waiter = new CompletableFuture<>();
        return waiting.putIfAbsent(key, waiter) == null
            ? waiter
            : CompletableFuture.failedFuture(
                StatusException.of(StatusCode.ABORTED, "Duplicated receive: %s", key));
      }
    }
    found.received().complete(null);
    return CompletableFuture.completedFuture(found.value());
  }

  /** Fails pending receives whose keys match {@code isWrong} with {@code reason}. */
  public void refuse(Predicate<String> isWrong, Function<String, StatusException> reason) {
    List<String> wrong;
    List<CompletableFuture<Value>> ended = new ArrayList<>();
    synchronized (this) {
      wrong = waiting.keySet().stream().filter(isWrong).toList();
      wrong.forEach(key -> ended.add(waiting.remove(key)));
    }
    for (int i = 0; i < wrong.size(); i++) {
      ended.get(i).completeExceptionally(reason.apply(wrong.get(i)));
    }
  }

  @Override
  public void abort(StatusException reason) {
    List<CompletableFuture<?>> ended = new ArrayList<>();
    synchronized (this) {
      if (aborted == null) {
        aborted = reason;
      }
      ended.addAll(waiting.values());
      sent.values().forEach(lost -> ended.add(lost.received()));
      waiting.clear();
      sent.clear();
    }
    ended.forEach(future -> future.completeExceptionally(reason));
  }
}
