package io.headrace.worker;

import io.grpc.stub.ServerCallStreamObserver;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusException;
import org.jspecify.annotations.Nullable;

/**
 * Answers GetElement: at once where a row is ready, or where the client would rather go elsewhere;
 * otherwise from the thread that produces the row. Never blocks.
 */
final class ElementRequests {
  private final TaskTable tasks;

  ElementRequests(TaskTable tasks) {
    this.tasks = tasks;
  }

  /** Answers {@code request}; throws what it is to be answered with instead. */
  void accept(GetElementRequest request, ServerCallStreamObserver<OutboundMessage> client) {
    @Nullable Task task = tasks.find(request.getTaskId());
    if (task == null) {
      answer(client, RowResponses.END);
      return;
    }
    new ElementRequest(task, request.getAllowSkip(), client).start();
  }

  private static void answer(
      ServerCallStreamObserver<OutboundMessage> client, OutboundMessage response) {
    client.onNext(response);
    client.onCompleted();
  }

  /** A request that may have to wait. */
  private static final class ElementRequest implements RowQueue.Waiter {
    private final Task task;
    private final boolean allowSkip;
    private final ServerCallStreamObserver<OutboundMessage> client;

    ElementRequest(Task task, boolean allowSkip, ServerCallStreamObserver<OutboundMessage> client) {
      this.task = task;
      this.allowSkip = allowSkip;
      this.client = client;
    }

    void start() {
      client.setOnCancelHandler(() -> task.rows().forget(this));
      wake();
    }

    @Override
    public void wake() {
      if (client.isCancelled()) {
        return;
      }
      try {
        // Until the dataset is known to be good nobody is told to skip it.
        boolean waits = !allowSkip || !task.rows().isProducing();
        @Nullable Taken taken = task.rows().takeRow(waits ? this : null);
        if (taken != null) {
          answer(taken);
        } else if (waits) {
          // Behind the registration, so that a verdict can't pass it by.
          task.ensureStarted();
        } else {
          ElementRequests.answer(client, RowResponses.SKIP);
        }
      } catch (StatusException e) {
        client.onError(e);
      }
    }

    @Override
    public void fail(StatusException reason) {
      client.onError(reason);
    }

    private void answer(Taken taken) {
      switch (taken) {
        case Taken.Row row when task.isCompressed() -> answerCompressed(row);
        case Taken.Row row -> ElementRequests.answer(client, RowResponses.plain(row));
        case Taken.Failure(StatusException failure) -> client.onError(failure);
        case Taken.End _ -> ElementRequests.answer(client, RowResponses.END);
      }
    }

    private void answerCompressed(Taken.Row row) {
      var _ =
          task.compressor()
              .compress(row, task.rows()::peekRow)
              .whenComplete((response, failure) -> {
                if (failure == null) {
                  ElementRequests.answer(client, response);
                } else {
                  client.onError(UnaryCalls.cause(failure));
                }
              });
    }
  }
}
