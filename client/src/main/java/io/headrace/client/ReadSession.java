package io.headrace.client;

import io.headrace.proto.tensorflow.ResourceHandleProto;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the passes over one distributed dataset share in this process: which pass comes next, and
 * the statistics. The dataset's graph holds it by a handle, as TensorFlow's holds its iteration
 * counter. Thread-safe.
 */
final class ReadSession {
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Map<String, WeakReference<ReadSession>> BY_NAME = new ConcurrentHashMap<>();

  private final String name = "headrace-read-session-" + NUMBERS.incrementAndGet();
  private final AtomicLong repetitions = new AtomicLong();
  private final ReadStatistics statistics;

  private ReadSession(ReadStatistics statistics) {
    this.statistics = statistics;
  }

  /** A session that is found by its handle as long as someone holds it. */
  static ReadSession create(ReadStatistics statistics) {
    BY_NAME.values().removeIf(held -> held.get() == null);
    ReadSession session = new ReadSession(statistics);
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
    return new ReadSession(new ReadStatistics());
  }

  ResourceHandleProto handle() {
    return ResourceHandleProto.newBuilder().setName(name).build();
  }

  /** The number of the next pass, from 1 on. */
  long nextRepetition() {
    return repetitions.incrementAndGet();
  }

  ReadStatistics statistics() {
    return statistics;
  }
}
