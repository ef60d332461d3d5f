package io.headrace.cli.web;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers of a server that is asked at most once in a period for each key, however many want to
 * know, and never for a key of which an answer is still awaited. Bounded: the latest {@value
 * #MAX_KEYS} keys. Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of answers
 */
public final class RecentAnswers<K, V> {
  private static final int MAX_KEYS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Ticker ticker;
  private final long periodNanos;
  private final Function<K, CompletableFuture<V>> ask;
  private final Map<K, Asked<V>> byKey = new LinkedHashMap<>();

  private record Asked<V>(long nanos, CompletableFuture<V> answer) {}

  /**
   * Answers that are not asked for yet.
   *
   * @param ticker measures the period
   * @param period how long an answer is recent
   * @param ask asks the server; does not block
   */
  public RecentAnswers(Ticker ticker, Duration period, Function<K, CompletableFuture<V>> ask) {
    this.ticker = ticker;
    this.periodNanos = period.toNanos();
    this.ask = ask;
  }

  /**
   * The recent answer, or a new one. Waits ten seconds at the most.
   *
   * @throws StatusException DEADLINE_EXCEEDED if none came; the reason if there is none
   */
  public V get(K key) {
    return get(key, PATIENCE);
  }

  /** The same, with another bound on the wait. */
  public V get(K key, Duration patience) {
    try {
      return answer(key).get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new StatusException(
          StatusCode.DEADLINE_EXCEEDED, "no answer came within " + patience.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "the server is stopping", e);
    } catch (ExecutionException e) {
      throw reason(e);
    }
  }

  private static StatusException reason(ExecutionException failure) {
    @Nullable Throwable cause = failure.getCause();
    while (cause != null && !(cause instanceof StatusException)) {
      cause = cause.getCause();
    }
    return cause instanceof StatusException known
        ? new StatusException(known.code(), known.message(), failure)
        : new StatusException(StatusCode.INTERNAL, "internal error", failure);
  }

  private synchronized CompletableFuture<V> answer(K key) {
    long now = ticker.nanoTime();
    @Nullable Asked<V> known = byKey.get(key);
    if (known != null && (now - known.nanos < periodNanos || !known.answer.isDone())) {
      return known.answer;
    }
    CompletableFuture<V> answer = ask.apply(key);
    byKey.remove(key);
    byKey.put(key, new Asked<>(now, answer));
    if (byKey.size() > MAX_KEYS) {
      byKey.remove(byKey.keySet().iterator().next());
    }
    return answer;
  }
}
