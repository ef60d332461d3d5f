package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.dataset.plan.FunctionNames;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.IterationDecisions;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.ReportTraceResponse;
import io.headrace.proto.headrace.TraceElementRequest;
import io.headrace.proto.headrace.TraceOrder;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The traces of elements that are under way: orders for workers, which the answers to their
 * heartbeats carry, and the reports of workers and readers. A trace ends with the first element
 * that is known from end to end, or with its time. Soft state: it does not outlive the process.
 * Thread-safe.
 */
final class ElementTraces {
  /** Most traces at a time. */
  static final int MAX_TRACES = 16;

  /** Most tasks that are traced for one element. */
  static final int MAX_TASKS = 16;

  static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);
  static final Duration MAX_DEADLINE = Duration.ofMinutes(10);

  /** How long to wait for the workers' reports of what is missing. */
  private static final Duration LAST_REPORTS = Duration.ofSeconds(3);

  private final CommitLoop loop;
  private final Consumer<RegisteredWorker> hurry;
  private final Executor background;
  private final Ticker ticker;

  @GuardedBy("this")
  private final Map<Long, Running> running = new TreeMap<>();

  /**
   * No traces.
   *
   * @param loop runs decisions
   * @param hurry has a worker send its next heartbeat now
   * @param background answers
   * @param ticker measures the deadlines
   */
  ElementTraces(
      CommitLoop loop, Consumer<RegisteredWorker> hurry, Executor background, Ticker ticker) {
    this.loop = loop;
    this.hurry = hurry;
    this.background = background;
    this.ticker = ticker;
  }

  /**
   * The subject of a trace.
   *
   * @param job the job and its iteration, as the answer has them
   * @param tasks the workers of the active tasks by task id
   */
  private record Subject(ElementTrace job, Map<Long, RegisteredWorker> tasks) {
    /**
     * The job {@code named}.
     *
     * @throws StatusException NOT_FOUND without such a job; FAILED_PRECONDITION without a task that
     *     can be traced
     */
    static Subject of(DispatcherState state, String named) {
      JobIteration found = JobIteration.of(state, named);
      Map<Long, RegisteredWorker> tasks = new TreeMap<>();
      boolean stock = false;
      if (found.iteration().isPresent()) {
        for (var task : found.iteration().get().tasks()) {
          Optional<RegisteredWorker> worker = state.workers().find(task.workerAddress());
          if (task.isActive() && worker.isPresent()) {
            stock |= worker.get().isStock();
            if (!worker.get().isStock() && tasks.size() < MAX_TASKS) {
              tasks.put(task.id(), worker.get());
            }
          }
        }
      }
      if (tasks.isEmpty()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "job \"%s\" has no task that can be traced: %s",
            found.job().name(),
            obstacle(found.iteration(), stock));
      }
      ElementTrace job =
          ElementTrace.newBuilder()
              .setJobId(found.job().id())
              .setJobName(found.job().name())
              .setAnonymous(found.job().anonymous())
              .setIterationId(found.iteration().map(Iteration::id).orElse(0L))
              .setRepetition(found.iteration().map(Iteration::repetition).orElse(0L))
              .build();
      return new Subject(job, tasks);
    }

    private static String obstacle(Optional<Iteration> iteration, boolean stock) {
      if (stock) {
        return "its tasks are on workers of TensorFlow's own";
      }
      if (iteration.isEmpty()) {
        return "no reader reads it";
      }
      return iteration.get().isFinished()
          ? "its iteration was read to its end"
          : "no worker has an active one";
    }
  }

  /** A trace under way, and what was reported of it. */
  private static final class Running {
    final long id;
    final Subject subject;
    final long deadlineNanos;
    final CompletableFuture<ElementTrace> reply = new CompletableFuture<>();
    final Map<Long, TracedTask> tasks = new TreeMap<>();
    final Map<Long, TracedReader> readers = new TreeMap<>();

    Running(long id, Subject subject, long deadlineNanos) {
      this.id = id;
      this.subject = subject;
      this.deadlineNanos = deadlineNanos;
    }

    /** The answer, if an element is known from end to end or there is nothing to wait for. */
    Optional<ElementTrace> complete() {
      for (TracedTask task : tasks.values()) {
        boolean isRead = isOf(readers.get(task.getTaskId()), task);
        switch (task.getDelivery()) {
          case STREAM -> {
            if (isRead) {
              return Optional.of(answer(task, "", ""));
            }
          }
          case GET_ELEMENT -> {
            return Optional.of(
                answer(
                    task,
                    "",
                    "the reader took the element by GetElement, after which it tells nothing of it:"
                        + " the trace ends at the worker's answer"));
          }
          case CACHE -> {
            return Optional.of(
                answer(
                    task,
                    "",
                    "the element went into the cross-trainer cache, from which each trainer gets"
                        + " it: the trace ends there"));
          }
          case DELIVERY_UNSPECIFIED, UNRECOGNIZED -> {}
        }
      }
      boolean allFailed =
          tasks.size() == subject.tasks().size()
              && tasks.values().stream().noneMatch(Running::isSent);
      return allFailed ? Optional.of(incomplete()) : Optional.empty();
    }

    /** The answer when the time is over. */
    ElementTrace incomplete() {
      TracedTask best = null;
      for (TracedTask task : tasks.values()) {
        if (best == null || progress(task) > progress(best)) {
          best = task;
        }
      }
      if (best == null) {
        return subject.job().toBuilder()
            .setMissing(
                "the worker of task %d, at %s, has reported nothing"
                    .formatted(
                        subject.tasks().keySet().iterator().next(),
                        subject.tasks().values().iterator().next().address()))
            .build();
      }
      return answer(best, "task %d: %s".formatted(best.getTaskId(), missing(best)), "");
    }

    private static String missing(TracedTask task) {
      return isSent(task)
          ? ("element %d was sent to a reader, which has not reported it: it has not handed the"
                  + " element over, or is of a version that reports none")
              .formatted(task.getPosition())
          : task.getMissing();
    }

    private static boolean isSent(TracedTask task) {
      return task.getDelivery() == TracedTask.Delivery.STREAM;
    }

    /** How far an element has come. */
    private static int progress(TracedTask task) {
      if (isSent(task)) {
        return 3;
      }
      return task.getQueuedMicros() > 0 ? 2 : task.getCallsCount() > 0 ? 1 : 0;
    }

    boolean awaitsReader() {
      return tasks.values().stream().anyMatch(Running::isSent);
    }

    private static boolean isOf(@Nullable TracedReader reader, TracedTask task) {
      return reader != null && reader.getPosition() == task.getPosition();
    }

    private ElementTrace answer(TracedTask task, String missing, String end) {
      TracedTask.Builder told =
          task.toBuilder()
              .setWorkerAddress(
                  workerOf(task.getTaskId()).map(RegisteredWorker::address).orElse(""))
              .setMissing(FunctionNames.readableIn(task.getMissing()));
      for (TracedStage.Builder stage : told.getStagesBuilderList()) {
        stage.setFunction(FunctionNames.readable(stage.getFunction()));
      }
      ElementTrace.Builder answer =
          subject.job().toBuilder()
              .setMissing(FunctionNames.readableIn(missing))
              .setEnd(end)
              .setTask(told);
      TracedReader reader = readers.get(task.getTaskId());
      if (reader != null && isOf(reader, task)) {
        answer.setReader(reader);
      }
      return answer.build();
    }

    private Optional<RegisteredWorker> workerOf(long taskId) {
      return Optional.ofNullable(subject.tasks().get(taskId));
    }
  }

  /**
   * Traces an element, and completes with the answer.
   *
   * @param id the number of the trace, not 0; {@link #cancel} takes it
   */
  CompletableFuture<ElementTrace> trace(TraceElementRequest request, long id) {
    RequestChecks.check(request);
    Duration deadline =
        request.getDeadlineMs() == 0
            ? DEFAULT_DEADLINE
            : Duration.ofMillis(request.getDeadlineMs());
    return loop.submit((state, _) -> Decision.answer(Subject.of(state, request.getJob())))
        .thenCompose(subject -> {
          CompletableFuture<ElementTrace> reply = begin(id, subject, deadline);
          subject.tasks().values().stream().distinct().forEach(hurry);
          return reply;
        })
        .thenApplyAsync(answer -> answer, background);
  }

  private synchronized CompletableFuture<ElementTrace> begin(
      long id, Subject subject, Duration deadline) {
    if (running.values().stream()
        .anyMatch(other -> other.subject.job().getJobId() == subject.job().getJobId())) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "an element of job \"%s\" is being traced already; ask again when that has ended",
          subject.job().getJobName());
    }
    if (running.size() >= MAX_TRACES) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%d jobs are being traced, and no more are at a time; ask again later",
          MAX_TRACES);
    }
    Running begun = new Running(id, subject, ticker.nanoTime() + deadline.toNanos());
    running.put(id, begun);
    return begun.reply;
  }

  /** The orders for the worker at {@code address}: those that it has not reported on. */
  synchronized List<TraceOrder> orders(String address) {
    if (running.isEmpty()) {
      return List.of();
    }
    List<TraceOrder> orders = new ArrayList<>();
    long now = ticker.nanoTime();
    for (Running trace : running.values()) {
      long left = Math.max(1, NANOSECONDS.toMillis(trace.deadlineNanos - now));
      trace
          .subject
          .tasks()
          .forEach((taskId, worker) -> {
            if (worker.address().equals(address) && !trace.tasks.containsKey(taskId)) {
              orders.add(
                  TraceOrder.newBuilder()
                      .setTrace(trace.id)
                      .setTaskId(taskId)
                      .setDeadlineMs(left)
                      .build());
            }
          });
    }
    return orders;
  }

  /**
   * Takes a part of a trace.
   *
   * <p>Fails with NOT_FOUND for a trace that has ended, PERMISSION_DENIED for a caller who is not
   * the task's worker, INVALID_ARGUMENT for a part of another task or job.
   */
  CompletableFuture<ReportTraceResponse> report(ReportTraceRequest request, Caller caller) {
    RequestChecks.check(request);
    return loop.submit((state, _) -> {
      if (request.hasTask()) {
        reported(request.getTrace(), request.getTask(), caller);
      } else {
        TracedReader reader = request.getReader();
        Iteration iteration = IterationDecisions.ofReader(state, reader.getIterationClientId());
        reported(
            request.getTrace(), reader.toBuilder().setHost(caller.host()).build(), iteration.id());
      }
      return Decision.answer(ReportTraceResponse.getDefaultInstance());
    });
  }

  private synchronized void reported(long id, TracedTask task, Caller caller) {
    Running trace = find(id);
    RegisteredWorker worker = ofTask(trace, task.getTaskId());
    if (!caller.isOf(worker)) {
      throw caller.refused("ReportTrace", worker.address());
    }
    trace.tasks.putIfAbsent(task.getTaskId(), task);
    endIfComplete(trace);
  }

  private synchronized void reported(long id, TracedReader reader, long iteration) {
    Running trace = find(id);
    var _ = ofTask(trace, reader.getTaskId());
    if (trace.subject.job().getIterationId() != iteration) {
      throw StatusException.invalidArgument(
          "reader %d is not of the iteration that is traced", reader.getIterationClientId());
    }
    trace.readers.putIfAbsent(reader.getTaskId(), reader);
    endIfComplete(trace);
  }

  @GuardedBy("this")
  private Running find(long id) {
    Running trace = running.get(id);
    if (trace == null) {
      throw new StatusException(StatusCode.NOT_FOUND, "the trace has ended, or never was");
    }
    return trace;
  }

  private static RegisteredWorker ofTask(Running trace, long taskId) {
    return trace
        .workerOf(taskId)
        .orElseThrow(() -> StatusException.invalidArgument("task %d is not being traced", taskId));
  }

  @GuardedBy("this")
  private void endIfComplete(Running trace) {
    trace.complete().ifPresent(answer -> end(trace, answer));
  }

  @GuardedBy("this")
  private void end(Running trace, ElementTrace answer) {
    running.remove(trace.id);
    trace.reply.complete(answer);
  }

  /** Ends the traces whose time is over. */
  synchronized void expire() {
    long now = ticker.nanoTime();
    for (Running trace : List.copyOf(running.values())) {
      long more = trace.awaitsReader() ? 0 : LAST_REPORTS.toNanos();
      if (now - trace.deadlineNanos >= more) {
        end(trace, trace.incomplete());
      }
    }
  }

  /** Ends a trace for which nobody waits any more. */
  synchronized void cancel(long id) {
    Running trace = running.remove(id);
    if (trace != null) {
      trace.reply.cancel(false);
    }
  }

  /** Ends all traces: the dispatcher stops. */
  synchronized void endAll() {
    for (Running trace : running.values()) {
      trace.reply.completeExceptionally(
          new StatusException(StatusCode.UNAVAILABLE, "the dispatcher is stopping"));
    }
    running.clear();
  }
}
