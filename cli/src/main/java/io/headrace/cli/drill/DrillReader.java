package io.headrace.cli.drill;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.client.ServiceCompression;
import io.headrace.dataset.ElementIterator;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job with dynamic sharding at a steady rate on its own thread, and counts its records.
 * Closing it ends the read. Thread-safe.
 */
final class DrillReader implements AutoCloseable {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final DrillJob job;
  private final Optional<Guarantee> demanded;
  private final Ticker ticker;
  private final RateLimiter pace;
  private final RecordCounter ledger;
  private final ReadWaits waits = new ReadWaits();
  private final ReadStatistics statistics = new ReadStatistics();
  private final ElementIterator elements;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progress = lock.newCondition();
  private long delivered;
  private boolean ended;
  private @Nullable StatusException failure;

  private DrillReader(
      DrillJob job, String target, Optional<Guarantee> demanded, double seconds, Ticker ticker) {
    this.job = job;
    this.demanded = demanded;
    this.ticker = ticker;
    this.pace = new RateLimiter(ticker, seconds * NANOS_PER_SECOND / job.records());
    this.ledger = new RecordCounter(job.records());
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withCompression(ServiceCompression.NONE)
            .withStatistics(statistics);
    DistributeOptions wanted = demanded.map(options::withGuarantee).orElse(options);
    this.elements = job.dataset().apply(DataService.distribute(wanted, target)).iterator();
    this.thread = Thread.ofPlatform().daemon().name("drill-reader").unstarted(this::read);
  }

  /**
   * Registers {@code job}'s dataset with the dispatcher at {@code target}, and starts reading.
   *
   * @param demanded the guarantee to demand of the job
   * @param seconds the duration of the read without faults
   */
  static DrillReader start(
      DrillJob job, String target, Optional<Guarantee> demanded, double seconds, Ticker ticker) {
    DrillReader reader = new DrillReader(job, target, demanded, seconds, ticker);
    reader.thread.start();
    return reader;
  }

  private void read() {
    try {
      while (true) {
        long asked = ticker.nanoTime();
        boolean more = elements.hasNext();
        waits.add(asked, ticker.nanoTime());
        if (!more) {
          end(null);
          return;
        }
        ledger.enter(DrillJob.numberOf(elements.next()));
        delivered();
        pace.await();
      }
    } catch (StatusException e) {
      end(e);
    } catch (InterruptedException e) {
      end(new StatusException(StatusCode.CANCELLED, "interrupted", e));
    }
  }

  private void delivered() {
    lock.lock();
    try {
      delivered++;
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(@Nullable StatusException why) {
    lock.lock();
    try {
      ended = true;
      failure = why;
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the fraction {@code part}, from 0 to 1, of the elements was delivered, the read is
   * over, or {@code limit} has passed; returns whether the fraction was delivered.
   */
  boolean awaitFraction(double part, Duration limit) throws InterruptedException {
    long wanted = (long) (part * job.records());
    return await(limit, wanted) && deliveredSoFar() >= wanted;
  }

  /** Whether the read ended without a failure. */
  boolean isAtEnd() {
    lock.lock();
    try {
      return ended && failure == null;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the read is over or {@code limit} has passed; returns whether it is over. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return await(limit, Long.MAX_VALUE);
  }

  private boolean await(Duration limit, long wanted) throws InterruptedException {
    long left = limit.toNanos();
    lock.lockInterruptibly();
    try {
      while (!ended && delivered < wanted && left > 0) {
        left = progress.awaitNanos(left);
      }
      return ended || delivered >= wanted;
    } finally {
      lock.unlock();
    }
  }

  private long deliveredSoFar() {
    lock.lock();
    try {
      return delivered;
    } finally {
      lock.unlock();
    }
  }

  ReadWaits waits() {
    return waits;
  }

  /**
   * Ends the read if it is still running, and returns its evidence.
   *
   * @param overdue the failure to report if the read was still running
   */
  GuaranteeCheck.Evidence evidence(String overdue) throws InterruptedException {
    boolean over = awaitEnd(Duration.ZERO);
    close();
    thread.join(TimeUnit.SECONDS.toMillis(10));
    lock.lock();
    try {
      String why =
          over ? failure == null ? "" : "the read failed: " + failure.getMessage() : overdue;
      return new GuaranteeCheck.Evidence(
          demanded,
          statistics.guarantee().or(() -> demanded).orElseThrow(this::neverBegan),
          statistics.guaranteeReason(),
          ledger.counts(),
          statistics.lostTasks().size(),
          why);
    } finally {
      lock.unlock();
    }
  }

  /** The reader was not told its job's guarantee, so there is nothing to judge. */
  private StatusException neverBegan() {
    return new StatusException(
        StatusCode.FAILED_PRECONDITION,
        "the read did not begin"
            + (failure == null ? "; is the dispatcher there?" : ": " + failure.getMessage()));
  }

  @Override
  public void close() {
    elements.close();
  }
}
