package io.headrace.client;

import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.time.Ticker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The state that the passes over one distributed dataset share in this process: the pass counter,
 * the requested guarantee and resumption, and the statistics. The dataset's graph refers to it by a
 * resource handle, in the place of TensorFlow's iteration counter. Thread-safe.
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
  private final boolean strictNames;
  private final long readerId;

  private @Nullable ReadingLog log;

  /** How long the first contact with the dispatcher may take; empty once it has answered. */
  private volatile Optional<Duration> contactTimeout;

  private ReadSession(
      ReadStatistics statistics,
      Optional<Guarantee> guarantee,
      Optional<Resumption> resumption,
      Optional<Ticker> ticker,
      boolean strictNames,
      Optional<Duration> contactTimeout) {
    this.statistics = statistics;
    this.guarantee = guarantee;
    this.resumption = resumption;
    this.ticker = ticker;
    this.strictNames = strictNames;
    this.contactTimeout = contactTimeout;
    readerId = resumption.map(Resumption::readerId).orElseGet(ReadSession::newReaderId);
    resumed()
        .flatMap(checkpoint -> checkpoint.getRepetitionsList().stream().findFirst())
        .ifPresent(first -> repetitions.set(first.getRepetition() - 1));
  }

  /** Creates a session, which its handle finds while it is strongly reachable. */
  static ReadSession create(DistributeOptions options, Optional<Ticker> ticker) {
    BY_NAME.values().removeIf(held -> held.get() == null);
    ReadSession session =
        new ReadSession(
            options.statistics(),
            options.guarantee(),
            options.resumed(),
            ticker,
            options.strictNames(),
            Optional.of(options.dispatcherTimeout()));
    BY_NAME.put(session.name, new WeakReference<>(session));
    return session;
  }

  /** The session of {@code handle}; a new one if the handle is of another process. */
  static ReadSession find(Object handle) {
    if (handle instanceof ResourceHandleProto proto) {
      WeakReference<ReadSession> held = BY_NAME.get(proto.getName());
      @Nullable ReadSession found = held == null ? null : held.get();
      if (found != null) {
        return found;
      }
    }
    return new ReadSession(
        new ReadStatistics(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  ResourceHandleProto handle() {
    return ResourceHandleProto.newBuilder().setName(name).build();
  }

  /** The number of the next pass, from 1 on. */
  long nextRepetition() {
    return repetitions.incrementAndGet();
  }

  /** The requested guarantee; empty for the strongest that the job can have. */
  Optional<Guarantee> guarantee() {
    return guarantee;
  }

  /** The resumption that the passes start with, if any. */
  Optional<Resumption> resumption() {
    return resumption;
  }

  /** The checkpoint that the passes resume from, if any. */
  Optional<CheckpointProto> resumed() {
    return resumption.map(of -> of.checkpoint().toProto());
  }

  /** A job that reads another dataset is not joined. */
  boolean strictNames() {
    return strictNames;
  }

  /** How long the first contact with the dispatcher may take; empty if it has answered. */
  Optional<Duration> contactTimeout() {
    return contactTimeout;
  }

  /** The dispatcher has answered: from now on it is waited for without end. */
  void contacted() {
    contactTimeout = Optional.empty();
  }

  /** The id of the reader in tokens and at dispatchers. */
  long readerId() {
    return readerId;
  }

  /** The ticker that measures how long the dispatcher is silent; empty for that of the pass. */
  Optional<Ticker> ticker() {
    return ticker;
  }

  /** The log of all passes over {@code job}; the first pass's ticker limits its lines. */
  synchronized ReadingLog log(Ticker measured, Optional<String> job) {
    ReadingLog found = log;
    if (found == null) {
      found = new ReadingLog(measured, job);
      log = found;
    }
    return found;
  }

  private static long newReaderId() {
    long id = new SplittableRandom().nextLong();
    return id == 0 ? 1 : id;
  }

  ReadStatistics statistics() {
    return statistics;
  }
}
