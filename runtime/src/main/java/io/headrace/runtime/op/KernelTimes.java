package io.headrace.runtime.op;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that the kernels of functions take, by op. It is sampled: the clock stands still between
 * the moments, some milliseconds apart, at which its owner advances it, so a kernel counts when the
 * clock advances while it runs, and a reading costs the load of a field. Thread-safe.
 */
public final class KernelTimes {
  /** Of functions that are not measured. */
  public static final KernelTimes NONE = new KernelTimes(null);

  private final @Nullable LongSupplier clock;
  private final Map<String, LongAdder> nanosByOp = new ConcurrentHashMap<>();

  /**
   * The time of an op.
   *
   * @param op its name; of a fused group, those of its ops, with plus signs between
   * @param nanos in all threads together
   */
  public record OpTime(String op, long nanos) {}

  private KernelTimes(@Nullable LongSupplier clock) {
    this.clock = clock;
  }

  /** Times by {@code clock}, in nanoseconds, which is read twice for each call of a kernel. */
  public static KernelTimes by(LongSupplier clock) {
    return new KernelTimes(clock);
  }

  /** The clock's time; 0 where nothing is measured. */
  public long nanos() {
    return clock == null ? 0 : clock.getAsLong();
  }

  /** Adds {@code nanos} to the time of {@code op}. */
  public void add(String op, long nanos) {
    nanosByOp.computeIfAbsent(op, _ -> new LongAdder()).add(nanos);
  }

  /** The ops that took the most time until now, at most {@code count} of them. */
  public List<OpTime> largest(int count) {
    return nanosByOp.entrySet().stream()
        .map(of -> new OpTime(of.getKey(), of.getValue().sum()))
        .sorted(Comparator.comparingLong(OpTime::nanos).reversed().thenComparing(OpTime::op))
        .limit(count)
        .toList();
  }
}
