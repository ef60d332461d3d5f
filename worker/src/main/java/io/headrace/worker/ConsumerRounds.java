package io.headrace.worker;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of a task in a coordinated read: in each round every consumer gets one row, and the
 * consumers get consecutive rows in the order of their indexes. A round begins when all consumers
 * have asked for it. If its rows are not ready soon, all skip it, and the rows serve the next one.
 *
 * <p>A consumer that asks again for the current round gets the same row again. The first round is
 * the one that the consumers ask for first; if some of them are a round ahead, as after a restart
 * of the worker, the others get a round of their own.
 *
 * <p>Holds the rows of the current round and of the next, and one request for each consumer.
 * Thread-safe; never blocks.
 */
final class ConsumerRounds implements RowQueue.Waiter {
  /*
   * The lock is held while rows are taken from the queue, whose lock comes second. Requests are
   * answered outside both locks.
   */

  /** How long a round waits for its rows before it is skipped. */
  static final Duration MAX_WAIT = Duration.ofMillis(100);

  private static final long NONE = -1;

  private final RowQueue rows;
  private final Runnable starter;
  private final long numConsumers;
  private final Executor afterWait;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Request> waiting = new HashMap<>();

  /** Rows for the next round. */
  private List<TakeResult.Row> ahead = new ArrayList<>();

  /** The rows of the current round, by consumer; empty if it is skipped. */
  private List<TakeResult.Row> served = List.of();

  private long currentRound = NONE;
  private long firstRound = Long.MAX_VALUE;

  /** The rows of the current round are not ready yet. */
  private boolean preparing;

  private @Nullable StatusException failure;

  /**
   * A consumer's request.
   *
   * @param consumer the consumer's index
   * @param round the round that it asks for
   * @param skippedPrevious its last round was skipped
   * @param allowsSkip it lets the round be skipped if that completes
   * @param reply gets the answer, once, on any thread
   */
  record Request(
      long consumer, long round, boolean skippedPrevious, boolean allowsSkip, Reply reply) {}

  /** Where an answer goes. */
  interface Reply {
    void row(TakeResult.Row row);

    void skip();

    void fail(StatusException reason);
  }

  /** Rounds whose slow rows are skipped after {@link #MAX_WAIT}. */
  ConsumerRounds(RowQueue rows, long numConsumers, Runnable starter) {
    this(
        rows,
        numConsumers,
        starter,
        CompletableFuture.delayedExecutor(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Rounds of a task.
   *
   * @param rows the task's rows, of which this is the only reader
   * @param numConsumers the number of consumers
   * @param starter starts the producer of the rows, unless it has started
   * @param afterWait runs what it is given after the time that a round waits for its rows
   */
  ConsumerRounds(RowQueue rows, long numConsumers, Runnable starter, Executor afterWait) {
    this.rows = rows;
    this.numConsumers = numConsumers;
    this.starter = starter;
    this.afterWait = afterWait;
  }

  /**
   * Takes a request, and answers it now or when its round begins.
   *
   * @throws StatusException FAILED_PRECONDITION, with TensorFlow's message, for a consumer or round
   *     that does not exist
   */
  void ask(Request request) {
    check(request);
    change(() -> {
      firstRound = Math.min(firstRound, request.round());
      @Nullable Request before = waiting.put(request.consumer(), request);
      List<Runnable> answers = new ArrayList<>();
      if (before != null) {
        answers.add(() ->
            before
                .reply()
                .fail(
                    new StatusException(
                        StatusCode.CANCELLED, "the consumer has asked again meanwhile")));
      }
      answers.addAll(advance());
      return answers;
    });
    starter.run();
  }

  /** The error of a task whose dataset has an end. */
  static StatusException endOfSequence() {
    return new StatusException(
        StatusCode.FAILED_PRECONDITION,
        "Encountered end of sequence on a round-robin read iterator. Please ensure that the"
            + " dataset used for round-robin reading has infinite cardinality, e.g. by adding a"
            + " .repeat() transformation at the end.");
  }

  private void check(Request request) {
    if (request.consumer() < 0 || request.round() < 0) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "RoundRobinTaskRunner needs to know the consumer index and element index of each"
              + " request.");
    }
    if (request.consumer() >= numConsumers) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Requesting data for consumer index %d, but the task is configured for only %d"
              + " consumers",
          request.consumer(),
          numConsumers);
    }
  }

  /** Removes a request that nobody waits for any more. */
  void forget(Request request) {
    lock.lock();
    try {
      waiting.remove(request.consumer(), request);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wake() {
    change(this::advance);
  }

  @Override
  public void fail(StatusException reason) {
    change(() -> failAll(reason));
  }

  /** The rows of {@code round} have been waited for. */
  private void waited(long round) {
    change(() -> {
      if (preparing && currentRound == round) {
        preparing = false;
      }
      return advance();
    });
  }

  /** Applies a change under the lock, and gives its answers outside. */
  private void change(Change change) {
    List<Runnable> answers;
    lock.lock();
    try {
      answers = change.apply();
    } finally {
      lock.unlock();
    }
    answers.forEach(Runnable::run);
  }

  private interface Change {
    List<Runnable> apply();
  }

  // The methods from here on are called under the lock.

  /** Goes on as far as possible; returns the answers that this gives. */
  private List<Runnable> advance() {
    try {
      fill();
    } catch (StatusException e) {
      return failAll(e);
    }
    @Nullable StatusException reason = failure;
    if (reason != null) {
      return failAll(reason);
    }
    List<Runnable> answers = new ArrayList<>();
    if (rows.isProducing()) {
      boolean begins = true;
      while (begins) {
        serve();
        answers.addAll(answers());
        begins = !preparing && begin();
      }
    }
    reason = failure;
    if (reason != null) {
      answers.addAll(failAll(reason));
    }
    return answers;
  }

  /** Takes rows until there are enough for a round, and asks to be woken for more. */
  private void fill() {
    while (failure == null && ahead.size() < numConsumers) {
      @Nullable TakeResult taken = rows.takeRow(this, null);
      switch (taken) {
        case null -> {
          return;
        }
        case TakeResult.Row row -> ahead.add(row);
        case TakeResult.Failure(StatusException of) -> failure = of;
        case TakeResult.End _ -> failure = endOfSequence();
      }
    }
    if (!waiting.isEmpty()) {
      rows.await(this);
    }
  }

  /** Gives the current round its rows, if they are ready. */
  private void serve() {
    if (preparing && ahead.size() >= numConsumers) {
      served = ahead;
      ahead = new ArrayList<>();
      preparing = false;
      fill();
    }
  }

  /** Begins the next round, if its consumers have asked for it. */
  private boolean begin() {
    List<Request> requests = List.copyOf(waiting.values());
    if (requests.size() < numConsumers) {
      return false;
    }
    long earliest = requests.stream().mapToLong(Request::round).min().orElse(NONE);
    List<Request> later = requests.stream().filter(it -> it.round() > earliest).toList();
    if (later.isEmpty()) {
      begin(earliest, requests.stream().allMatch(Request::allowsSkip));
      return true;
    }
    boolean outOfStep =
        currentRound == NONE
            && earliest == firstRound
            && later.stream().allMatch(it -> it.round() == earliest + 1);
    if (outOfStep) {
      begin(earliest, false);
      // Those ahead of the others were told to skip the round, so the others skip it, too.
      preparing = later.stream().noneMatch(Request::skippedPrevious);
    }
    return outOfStep;
  }

  private void begin(long round, boolean maySkip) {
    currentRound = round;
    served = List.of();
    preparing = true;
    if (maySkip && ahead.size() < numConsumers) {
      afterWait.execute(() -> waited(round));
    }
  }

  /** The answers to requests for the current round, and for rounds that are over. */
  private List<Runnable> answers() {
    List<Runnable> answers = new ArrayList<>();
    for (Request request : List.copyOf(waiting.values())) {
      Reply reply = request.reply();
      if (request.round() < currentRound) {
        answers.add(() -> reply.fail(late(request, currentRound)));
      } else if (request.round() > currentRound || preparing) {
        continue;
      } else if (served.isEmpty()) {
        answers.add(reply::skip);
      } else {
        TakeResult.Row row = served.get((int) request.consumer());
        answers.add(() -> reply.row(row));
      }
      waiting.remove(request.consumer());
    }
    return answers;
  }

  private static StatusException late(Request request, long round) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "Consumer %d requested data for round %d, but the current round has already reached %d."
            + " This may indicate that the consumer was restarted with the same iteration name.`",
        request.consumer(),
        request.round(),
        round);
  }

  private List<Runnable> failAll(StatusException reason) {
    List<Request> all = List.copyOf(waiting.values());
    waiting.clear();
    List<Runnable> answers = new ArrayList<>();
    for (Request request : all) {
      answers.add(
          () -> request.reply().fail(new StatusException(reason.code(), reason.message(), reason)));
    }
    return answers;
  }
}
