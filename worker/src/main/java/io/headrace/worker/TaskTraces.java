package io.headrace.worker;

import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.TraceOrder;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Traces elements of a worker's tasks as its dispatcher orders, and reports them, each once. A
 * report that fails is dropped. Thread-safe.
 */
final class TaskTraces {
  private static final Logger LOGGER = System.getLogger(TaskTraces.class.getName());

  private final DispatcherStub dispatcher;
  private final TaskTable tasks;

  TaskTraces(DispatcherStub dispatcher, TaskTable tasks) {
    this.dispatcher = dispatcher;
    this.tasks = tasks;
  }

  /** Begins the trace that is ordered, unless it has begun. Does not block. */
  void begin(TraceOrder order) {
    try {
      @Nullable RunningTask task = tasks.find(order.getTaskId());
      if (task == null) {
        refuse(order, "the worker has deleted the task");
      } else {
        task.trace(order, traced -> report(order.getTrace(), traced));
      }
    } catch (StatusException e) {
      refuse(order, e.message());
    }
  }

  private void refuse(TraceOrder order, String reason) {
    TracedTask nothing =
        TracedTask.newBuilder().setTaskId(order.getTaskId()).setMissing(reason).build();
    Thread.ofVirtual().name("worker-trace").start(() -> report(order.getTrace(), nothing));
  }

  /** Reports a trace. Blocks. */
  private void report(long trace, TracedTask traced) {
    try {
      dispatcher.reportTrace(
          ReportTraceRequest.newBuilder().setTrace(trace).setTask(traced).build());
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, () -> "a trace was not reported: " + e.message());
    }
  }
}
