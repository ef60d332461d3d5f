package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.AccessOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The operations of a device. They run late: when something waits for them, and at random moments;
 * and in a random order of those that streams and events allow. So what only luck orders is found
 * in some order. Used under the driver's lock.
 */
final class DeviceTimeline implements AccessOrder {
  /*
   * Each operation has a vector clock: for each stream, the count of that stream's operations that
   * are over before it begins, in every legal order. The host has one, too: what it has waited for.
   * An operation begins with the host's clock, that of the stream's last operation, and those of
   * the events that the stream waits for.
   */
  private final Random random;
  private final List<Entry> entries = new ArrayList<>();
  private final List<StreamWork> pending = new ArrayList<>();
  private final Map<Long, Entry> lastOfStream = new HashMap<>();
  private final Map<Long, Integer> countOfStream = new HashMap<>();
  private final Map<Long, List<Entry>> waitsOfStream = new HashMap<>();
  private Map<Long, Integer> host = new HashMap<>();

  DeviceTimeline(long seed) {
    random = new Random(seed);
  }

  /** An operation with its place: the stream, its number there, and its clock. */
  private record Entry(StreamWork operation, long stream, int position, Map<Long, Integer> clock) {}

  /** Appends work to a stream; 0 is the default one. */
  StreamWork enqueue(long stream, String description, Numbered work) {
    int number = entries.size() + 1;
    StreamWork operation = new StreamWork(number, description, () -> work.run(number));
    Map<Long, Integer> clock = new HashMap<>(host);
    Entry last = lastOfStream.get(stream);
    if (last != null) {
      join(clock, last);
      operation.waitFor(last.operation());
    }
    for (Entry awaited : waitsOfStream.getOrDefault(stream, List.of())) {
      join(clock, awaited);
      operation.waitFor(awaited.operation());
    }
    waitsOfStream.remove(stream);
    int position = countOfStream.merge(stream, 1, Integer::sum);
    Entry entry = new Entry(operation, stream, position, clock);
    entries.add(entry);
    lastOfStream.put(stream, entry);
    pending.add(operation);
    return operation;
  }

  /** Work that is told the number of its operation. */
  @FunctionalInterface
  interface Numbered {
    void run(int operation);
  }

  /** The number of an operation of the host, which is over at once. */
  int hostOperation() {
    StreamWork operation = new StreamWork(entries.size() + 1, "the host", () -> {});
    operation.drop();
    entries.add(new Entry(operation, HOST, 0, new HashMap<>(host)));
    return operation.number;
  }

  /** The stream of the host's own operations, which nothing else waits for. */
  private static final long HOST = -1;

  private static void join(Map<Long, Integer> clock, Entry earlier) {
    earlier.clock().forEach((stream, count) -> clock.merge(stream, count, Math::max));
    clock.merge(earlier.stream(), earlier.position(), Math::max);
  }

  /** Lets later work on {@code stream} wait for an operation. */
  void waitFor(long stream, StreamWork operation) {
    waitsOfStream
        .computeIfAbsent(stream, _ -> new ArrayList<>())
        .add(entries.get(operation.number - 1));
  }

  /** Runs work until {@code operation} is done; the host knows that it is. */
  void synchronize(StreamWork operation) {
    while (!operation.isDone()) {
      runOne();
    }
    Map<Long, Integer> clock = new HashMap<>(host);
    join(clock, entries.get(operation.number - 1));
    host = clock;
  }

  /** The same for all work of a stream. */
  void synchronize(long stream) {
    Entry last = lastOfStream.get(stream);
    if (last != null) {
      synchronize(last.operation());
    }
  }

  /** Whether all work of a stream is done; the host knows if it is. */
  boolean isDone(long stream) {
    Entry last = lastOfStream.get(stream);
    return last == null || isDone(last.operation());
  }

  /** Whether {@code operation} is done; the host knows if it is. */
  boolean isDone(StreamWork operation) {
    if (operation.isDone()) {
      synchronize(operation);
    }
    return operation.isDone();
  }

  /** Runs all work. The host knows of it only if it waits for it: {@link #synchronizeAll}. */
  void drain() {
    while (!pending.isEmpty()) {
      runOne();
    }
  }

  /** Runs all work; the host knows that it is done. */
  void synchronizeAll() {
    List.copyOf(lastOfStream.keySet()).forEach(this::synchronize);
  }

  /** Runs some of the work that is ready, or none. */
  void runSome() {
    while (!pending.isEmpty() && random.nextInt(3) == 0) {
      runOne();
    }
  }

  private void runOne() {
    List<StreamWork> ready = pending.stream().filter(StreamWork::isReady).toList();
    StreamWork next = ready.get(random.nextInt(ready.size()));
    pending.remove(next);
    next.run();
  }

  /** Ends all work without doing it. */
  void drop() {
    pending.forEach(StreamWork::drop);
    pending.clear();
  }

  /** A seed for the order of threads in a launch. */
  long nextSeed() {
    return random.nextLong();
  }

  @Override
  public boolean isBefore(int earlier, int later) {
    if (earlier == later || earlier == 0) {
      return true;
    }
    Entry first = entries.get(earlier - 1);
    Entry second = entries.get(later - 1);
    if (first.stream() == HOST) {
      return earlier < later;
    }
    return second.clock().getOrDefault(first.stream(), 0) >= first.position();
  }
}
