package io.headrace.client;

import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.time.Ticker;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the passes over one distributed dataset share in this process: which pass comes next, what
 * was asked for, and the statistics. The dataset's graph holds it by a handle, as TensorFlow's
 * holds its iteration counter. Thread-safe.
 */
final class ReadSession {
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Map<String, WeakReference<ReadSession>> BY_NAME = new ConcurrentHashMap<>();

  private final String name = "headrace-read-session-" + NUMBERS.incrementAndGet();
  private final AtomicLong repetitions = new AtomicLong();
  private final ReadStatistics statistics;
  private final Optional<Guarantee> guarantee;
  private final Optional<Resumption> resumption;
  private final Optional<Ticker> ticker;
  private final long readerId;

  private ReadSession(
      ReadStatistics statistics,
      Optional<Guarantee> guarantee,
      Optional<Resumption> resumption,
      Optional<Ticker> ticker) {
    this.statistics = statistics;
    this.guarantee = guarantee;
    this.resumption = resumption;
    this.ticker = ticker;
    readerId = resumption.map(Resumption::readerId).orElseGet(ReadSession::newReaderId);
    resumed()
        .flatMap(checkpoint -> checkpoint.getRepetitionsList().stream().findFirst())
        .ifPresent(first -> repetitions.set(first.getRepetition() - 1));
  }

  /** A session that is found by its handle as long as someone holds it. */
  static ReadSession create(DistributeOptions options, Optional<Ticker> ticker) {
    BY_NAME.values().removeIf(held -> held.get() == null);
    ReadSession session =
        new ReadSession(options.statistics(), options.guarantee(), options.resumed(), ticker);
    BY_NAME.put(session.name, new WeakReference<>(session));
    return session;
  }

  /** The session of {@code handle}; a new one if it is another process's. */
  static ReadSession find(Object handle) {
    if (handle instanceof ResourceHandleProto proto) {
      WeakReference<ReadSession> held = BY_NAME.get(proto.getName());
      @Nullable ReadSession found = held == null ? null : held.get();
      if (found != null) {
        return found;
      }
    }
    return new ReadSession(
        new ReadStatistics(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  ResourceHandleProto handle() {
    return ResourceHandleProto.newBuilder().setName(name).build();
  }

  /** The number of the next pass, from 1 on. */
  long nextRepetition() {
    return repetitions.incrementAndGet();
  }

  /** The guarantee that was asked for; empty: the strongest that can be had. */
  Optional<Guarantee> guarantee() {
    return guarantee;
  }

  /** What the passes go on from, and with whom. */
  Optional<Resumption> resumption() {
    return resumption;
  }

  /** What the passes go on from. */
  Optional<CheckpointProto> resumed() {
    return resumption.map(of -> of.checkpoint().toProto());
  }

  /** The number by which tokens and dispatchers know who reads. */
  long readerId() {
    return readerId;
  }

  /** Measures for how long the dispatcher has not answered; empty for the pass's own. */
  Optional<Ticker> ticker() {
    return ticker;
  }

  private static long newReaderId() {
    long id = new SplittableRandom().nextLong();
    return id == 0 ? 1 : id;
  }

  ReadStatistics statistics() {
    return statistics;
  }
}
