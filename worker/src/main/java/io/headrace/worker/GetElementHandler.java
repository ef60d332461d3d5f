package io.headrace.worker;

import io.grpc.stub.ServerCallStreamObserver;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Serves GetElement: answers at once if a row is ready or if the client allows the task to be
 * skipped, otherwise later, on the thread that produces the row. Never blocks.
 */
final class GetElementHandler {
  private final TaskTable tasks;

  GetElementHandler(TaskTable tasks) {
    this.tasks = tasks;
  }

  /**
   * Answers {@code request}; throws the StatusException to answer with instead.
   *
   * @param connection the connection of the request, if known
   */
  void accept(
      GetElementRequest request,
      ServerCallStreamObserver<OutboundMessage> client,
      @Nullable PeerConnection connection) {
    @Nullable RunningTask task = request.hasRoundIndex() ? null : tasks.find(request.getTaskId());
    if (request.hasRoundIndex() || (task != null && task.rounds() != null)) {
      new ConsumerRequest(request, client).start();
      return;
    }
    if (task == null) {
      answer(client, GetElementResponses.END);
      return;
    }
    @Nullable CrossTrainerCache cache = task.cache();
    if (cache != null) {
      new TrainerRequest(task, cache, request.getTrainerId(), client).start();
      return;
    }
    if (connection != null) {
      connection.onClose(this::closed);
    }
    new ElementRequest(task, request.getAllowSkip(), client, connection).start();
  }

  /**
   * Confirms that the rows of a task that were sent on {@code connection} have arrived.
   *
   * @throws StatusException NOT_FOUND if there is no such task
   */
  void confirm(long taskId, @Nullable PeerConnection connection) {
    @Nullable RunningTask task = tasks.find(taskId);
    if (task == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "there is no task %d", taskId);
    }
    if (connection != null) {
      task.rows().fetched(connection);
    }
  }

  private void closed(PeerConnection connection) {
    tasks.live().forEach(task -> task.rows().closed(connection));
  }

  private static void answer(
      ServerCallStreamObserver<OutboundMessage> client, OutboundMessage response) {
    client.onNext(response);
    client.onCompleted();
  }

  private static void answer(
      RunningTask task,
      ServerCallStreamObserver<OutboundMessage> client,
      OutboundMessage response) {
    answer(client, GetElementResponses.noted(response, task));
  }

  /** A request of a consumer that reads in step with others. */
  private final class ConsumerRequest implements ConsumerRounds.Reply {
    private final GetElementRequest request;
    private final ServerCallStreamObserver<OutboundMessage> client;
    private volatile @Nullable RunningTask task;
    private volatile ConsumerRounds.@Nullable Request asked;

    ConsumerRequest(GetElementRequest request, ServerCallStreamObserver<OutboundMessage> client) {
      this.request = request;
      this.client = client;
    }

    void start() {
      client.setOnCancelHandler(this::cancelled);
      var _ = tasks.arrival(request.getTaskId()).thenRun(this::ask);
    }

    private void ask() {
      try {
        @Nullable RunningTask found = tasks.find(request.getTaskId());
        @Nullable ConsumerRounds rounds = found == null ? null : found.rounds();
        if (found == null) {
          answer(client, GetElementResponses.END);
        } else if (rounds == null) {
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION,
              "task %d is not read in rounds, since its job has no num_consumers",
              request.getTaskId());
        } else {
          task = found;
          ConsumerRounds.Request asking =
              new ConsumerRounds.Request(
                  request.getConsumerIndex(),
                  request.getRoundIndex(),
                  request.getSkippedPreviousRound(),
                  request.getAllowSkip(),
                  this);
          asked = asking;
          rounds.ask(asking);
          if (client.isCancelled()) {
            rounds.forget(asking);
          }
        }
      } catch (StatusException e) {
        client.onError(e);
      }
    }

    private void cancelled() {
      @Nullable RunningTask of = task;
      ConsumerRounds.@Nullable Request forgotten = asked;
      @Nullable ConsumerRounds rounds = of == null ? null : of.rounds();
      if (rounds != null && forgotten != null) {
        rounds.forget(forgotten);
      }
    }

    @Override
    public void row(TakeResult.Row row) {
      RunningTask of = Objects.requireNonNull(task);
      try {
        if (of.isCompressed()) {
          answerLater(
              of, of.compressor().compress(row, () -> null), client, () -> answered(of, row));
        } else {
          answer(of, client, GetElementResponses.plain(row));
          answered(of, row);
        }
      } catch (StatusException e) {
        client.onError(e);
      }
    }

    @Override
    public void skip() {
      answer(Objects.requireNonNull(task), client, GetElementResponses.SKIP);
    }

    @Override
    public void fail(StatusException reason) {
      client.onError(reason);
    }
  }

  private static void answered(RunningTask task, TakeResult.Row row) {
    @Nullable RowTrace trace = task.trace();
    if (trace != null) {
      trace.answered(row.position());
    }
  }

  private static void answerLater(
      RunningTask task,
      CompletableFuture<OutboundMessage> answer,
      ServerCallStreamObserver<OutboundMessage> client,
      Runnable answered) {
    var _ =
        answer.whenComplete((response, failure) -> {
          if (failure == null) {
            answer(task, client, response);
            answered.run();
          } else {
            client.onError(UnaryCalls.cause(failure));
          }
        });
  }

  /**
   * A request of one of the trainers that read a cached job. It waits if no row is ready, also
   * where the client allows the task to be skipped, as in TensorFlow.
   */
  private static final class TrainerRequest implements RowQueue.Waiter {
    private final RunningTask task;
    private final CrossTrainerCache cache;
    private final String trainerId;
    private final ServerCallStreamObserver<OutboundMessage> client;

    TrainerRequest(
        RunningTask task,
        CrossTrainerCache cache,
        String trainerId,
        ServerCallStreamObserver<OutboundMessage> client) {
      this.task = task;
      this.cache = cache;
      this.trainerId = trainerId;
      this.client = client;
    }

    void start() {
      client.setOnCancelHandler(() -> cache.forget(this));
      wake();
    }

    @Override
    public void wake() {
      if (client.isCancelled()) {
        return;
      }
      try {
        @Nullable CompletableFuture<OutboundMessage> reply = cache.takeReply(trainerId, this);
        if (reply == null) {
          // Start after registering as a waiter, so that a failure to load the dataset reaches it.
          task.ensureStarted();
        } else {
          answerLater(task, reply, client, () -> {});
        }
      } catch (StatusException e) {
        client.onError(e);
      }
    }

    @Override
    public void fail(StatusException reason) {
      client.onError(reason);
    }
  }

  /** A request, which waits in the task's queue if no row is ready. */
  private static final class ElementRequest implements RowQueue.Waiter {
    private final RunningTask task;
    private final boolean allowSkip;
    private final ServerCallStreamObserver<OutboundMessage> client;
    private final @Nullable PeerConnection connection;
    private volatile TakeResult.@Nullable Row answered;

    ElementRequest(
        RunningTask task,
        boolean allowSkip,
        ServerCallStreamObserver<OutboundMessage> client,
        @Nullable PeerConnection connection) {
      this.task = task;
      this.allowSkip = allowSkip;
      this.client = client;
      this.connection = connection;
    }

    void start() {
      client.setOnCancelHandler(this::cancelled);
      if (connection != null) {
        task.rows().fetched(connection);
      }
      wake();
    }

    private void cancelled() {
      task.rows().forget(this);
      TakeResult.@Nullable Row row = answered;
      if (row != null && connection != null) {
        task.rows().cancelled(connection, row.position());
      }
    }

    @Override
    public void wake() {
      if (client.isCancelled()) {
        return;
      }
      try {
        // Until the dataset is known to be readable, no client is told to skip the task.
        boolean waits = !allowSkip || !task.rows().isProducing();
        @Nullable TakeResult taken = task.rows().takeRow(waits ? this : null, connection);
        if (taken != null) {
          recordAnswer(taken);
          answer(taken);
        } else if (waits) {
          // Start after registering as a waiter, so that a failure to load the dataset reaches it.
          task.ensureStarted();
        } else {
          GetElementHandler.answer(task, client, GetElementResponses.SKIP);
        }
      } catch (StatusException e) {
        client.onError(e);
      }
    }

    @Override
    public void fail(StatusException reason) {
      client.onError(reason);
    }

    private void recordAnswer(TakeResult taken) {
      answered = taken instanceof TakeResult.Row row ? row : null;
      if (client.isCancelled()) {
        cancelled();
      } else if (connection != null && connection.isClosed()) {
        task.rows().closed(connection);
      }
    }

    private void answer(TakeResult taken) {
      switch (taken) {
        case TakeResult.Row row when task.isCompressed() -> answerCompressed(row);
        case TakeResult.Row row -> {
          GetElementHandler.answer(task, client, GetElementResponses.plain(row));
          GetElementHandler.answered(task, row);
        }
        case TakeResult.Failure(StatusException failure) -> client.onError(failure);
        case TakeResult.End _ -> GetElementHandler.answer(task, client, GetElementResponses.END);
      }
    }

    private void answerCompressed(TakeResult.Row row) {
      GetElementHandler.answerLater(
          task,
          task.compressor().compress(row, task.rows()::peekRow),
          client,
          () -> GetElementHandler.answered(task, row));
    }
  }
}
