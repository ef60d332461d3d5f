package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job through a client at a steady rate on its own thread, and counts its records. Closing
 * it ends the read. Thread-safe.
 */
final class DrillReader implements AutoCloseable {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final DrillClient client;
  private final int records;
  private final Optional<Guarantee> demanded;
  private final Ticker ticker;
  private final RateLimiter pace;
  private final RecordCounter ledger;
  private final ReadWaits waits = new ReadWaits();
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progress = lock.newCondition();
  private long delivered;
  private boolean ended;
  private @Nullable StatusException failure;

  private DrillReader(
      DrillClient client,
      int records,
      Optional<Guarantee> demanded,
      double seconds,
      Ticker ticker) {
    this.client = client;
    this.records = records;
    this.demanded = demanded;
    this.ticker = ticker;
    this.pace = new RateLimiter(ticker, seconds * NANOS_PER_SECOND / records);
    this.ledger = new RecordCounter(records);
    this.thread = Thread.ofPlatform().daemon().name("drill-reader").unstarted(this::read);
  }

  /**
   * Starts reading.
   *
   * @param client the client, which the reader closes
   * @param records the number of records of the job
   * @param demanded the guarantee that was demanded of the job
   * @param seconds the duration of the read without faults
   */
  static DrillReader start(
      DrillClient client,
      int records,
      Optional<Guarantee> demanded,
      double seconds,
      Ticker ticker) {
    DrillReader reader = new DrillReader(client, records, demanded, seconds, ticker);
    reader.thread.start();
    return reader;
  }

  private void read() {
    try {
      while (true) {
        long asked = ticker.nanoTime();
        OptionalLong record = client.next();
        waits.add(asked, ticker.nanoTime());
        if (record.isEmpty()) {
          end(null);
          return;
        }
        ledger.enter(record.getAsLong());
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
    long wanted = (long) (part * records);
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

  /** Kills the client, and lets another one go on. */
  void replaceClient(DrillProgress stage) throws IOException, InterruptedException {
    client.replace(stage);
  }

  ReadWaits waits() {
    return waits;
  }

  /**
   * Ends the read if it is still running, and returns its evidence.
   *
   * @param overdue the failure to report if the read was still running
   * @param killedReaders the number of clients that were killed
   */
  GuaranteeCheck.Evidence evidence(String overdue, int killedReaders) throws InterruptedException {
    boolean over = awaitEnd(Duration.ZERO);
    close();
    thread.join(TimeUnit.SECONDS.toMillis(10));
    DrillClient.Facts facts = client.facts();
    lock.lock();
    try {
      String why =
          over ? failure == null ? "" : "the read failed: " + failure.getMessage() : overdue;
      return new GuaranteeCheck.Evidence(
          demanded,
          facts.guarantee().or(() -> demanded).orElseThrow(this::neverBegan),
          facts.reason(),
          ledger.counts(),
          facts.lostTasks(),
          facts.countedMissing().map(counted -> LossLimit.of(counted, killedReaders)),
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
    client.close();
  }
}
