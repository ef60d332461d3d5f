package io.headrace.cli;

import io.headrace.client.DispatcherInspection;
import io.headrace.client.DispatcherOperations;
import io.headrace.proto.headrace.DrainWorkerResponse;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.WorkerStatus;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace drain}: has a worker leave. */
@Command(
    name = "drain",
    sortOptions = false,
    description = {
      "Have a worker leave in order, as on SIGTERM: it gets no more tasks, its readers get what"
          + " would be lost with it, other workers make the rest, and its process ends with status"
          + " 0.",
      "A worker of TensorFlow's own gets no more tasks, and goes on with those that it has. Runs on"
          + " the dispatcher's host, with a loopback address."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class DrainCommand implements Callable<Integer> {
  /** Most workers among which it is looked for. */
  private static final long MAX_ENTRIES = 10_000;

  private static final Duration PERIOD = Duration.ofMillis(500);

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "WORKER",
      description = "The worker's address, as headrace status shows it. Needed.")
  String worker = "";

  @Mixin InspectionFlags asked = new InspectionFlags();

  @Option(
      names = "--wait",
      description =
          "Return when the worker has left; for a worker of TensorFlow's own, when it has no task.")
  boolean wait;

  @Option(
      names = "--cancel",
      description =
          "Take a drain back: the worker gets tasks again. A worker that has begun to leave goes on"
              + " leaving.")
  boolean cancel;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = Headrace.out(spec);
    try (DispatcherOperations dispatcher = asked.operate()) {
      say(dispatcher.drain(worker, cancel), out);
    }
    if (wait && !cancel) {
      try (DispatcherInspection dispatcher = asked.inspect()) {
        while (isThere(dispatcher)) {
          Thread.sleep(PERIOD);
        }
      }
      out.println("worker " + worker + " is drained");
      out.flush();
    }
    return 0;
  }

  private void say(DrainWorkerResponse drain, PrintWriter out) {
    if (cancel) {
      out.println("worker " + worker + " gets tasks again");
    } else if (drain.getKind() == PeerKind.STOCK) {
      out.println(
          "worker %s gets no more tasks; it is TensorFlow's own, and goes on with %s until they end"
              .formatted(worker, tasks(drain.getActiveTasks())));
    } else {
      out.println("worker %s leaves, with %s".formatted(worker, tasks(drain.getActiveTasks())));
    }
    if (!cancel && drain.getWaitingTasks() > 0) {
      out.println(
          "%s of them can be made by nobody else, and wait for a worker at this address"
              .formatted(drain.getWaitingTasks()));
    }
    if (!cancel && drain.getOtherWorkers() == 0) {
      out.println("no other worker is there: readers wait until one registers");
    }
    out.flush();
  }

  private static String tasks(long number) {
    return number == 1 ? "1 task" : "%,d tasks".formatted(number);
  }

  private boolean isThere(DispatcherInspection dispatcher) {
    Optional<WorkerStatus> found =
        dispatcher.status(MAX_ENTRIES).getWorkersList().stream()
            .filter(status -> status.getAddress().equals(worker))
            .findFirst();
    return found
        .filter(status -> status.getState() == WorkerStatus.State.DRAINING)
        .filter(status -> status.getKind() != PeerKind.STOCK || status.getActiveTasks() > 0)
        .isPresent();
  }
}
