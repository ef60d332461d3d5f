package io.headrace.examples;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Between-graph replicated training: a parameter server holds the parameters, each trainer has its
 * own graph, session and worker, and a dispatcher's workers feed them batches. A trainer updates
 * the parameters after each batch, asynchronously.
 */
public final class ReplicatedTraining implements AutoCloseable {
  private static final int BATCH = 128;
  private static final int REPORT_INTERVAL = 100;
  private static final float LEARNING_RATE = 0.05f;
  private static final Duration INITIALIZATION_TIMEOUT = Duration.ofMinutes(1);

  /**
   * The result of a training.
   *
   * @param accuracy the share of test images classified correctly
   * @param examplesPerSecond the images per second that all trainers learnt from
   */
  public record Result(double accuracy, double examplesPerSecond) {}

  private final List<String> workers;
  private final WorkerGpus gpus;
  private final Dataset batches;
  private final long steps;
  private final PrintWriter out;
  private final Ticker ticker = SystemTicker.INSTANCE;
  private final List<Trainer> trainers = new ArrayList<>();

  private ReplicatedTraining(
      List<String> workers, WorkerGpus gpus, Dataset batches, long steps, PrintWriter out) {
    this.workers = workers;
    this.gpus = gpus;
    this.batches = batches;
    this.steps = steps;
    this.out = out;
  }

  /**
   * Trains on this machine: starts a dispatcher with a worker, a parameter server, and {@code
   * trainers} workers for the trainers, as processes.
   *
   * @param command the command line of {@code headrace}, without its arguments
   * @param gpus the GPUs of the workers
   * @param steps the number of batches of all trainers together
   * @param out receives progress and results
   */
  public static Result run(
      List<String> command, int trainers, WorkerGpus gpus, long steps, PrintWriter out)
      throws IOException {
    try (TemporaryFolder folder = TemporaryFolder.create("headrace-training");
        LocalDataService feeders = LocalDataService.start(command, 1);
        LocalTaskCluster tasks =
            LocalTaskCluster.startProcesses(
                command, LocalTaskCluster.cluster(Map.of("ps", 1, "worker", trainers)), gpus)) {
      out.println(tasks.cluster());
      return on(tasks.targets("worker"), gpus, feeders.target(), folder.path(), steps, out);
    }
  }

  /**
   * Trains on the CPUs of existing servers, with a trainer for each of {@code workers}.
   *
   * @param workers the targets of the tasks of job worker, in order; the cluster has a task 0 of
   *     job ps
   * @param dispatcher the target of the dispatcher that feeds the trainers
   * @param folder a folder for images that the dispatcher's workers can read
   * @param steps the number of batches of all trainers together
   * @param out receives progress and results
   * @throws StatusException the failure of a trainer; the others are stopped
   */
  public static Result on(
      List<String> workers, String dispatcher, Path folder, long steps, PrintWriter out)
      throws IOException {
    return on(workers, WorkerGpus.NONE, dispatcher, folder, steps, out);
  }

  private static Result on(
      List<String> workers,
      WorkerGpus gpus,
      String dispatcher,
      Path folder,
      long steps,
      PrintWriter out)
      throws IOException {
    FashionMnist data = FashionMnist.find(folder);
    try (var training =
        new ReplicatedTraining(workers, gpus, batches(data, dispatcher), steps, out)) {
      training.open();
      long started = training.ticker.nanoTime();
      double rate = training.train() / training.seconds(started);
      training.say("%,.0f images/s", rate);
      double accuracy = training.accuracy(data);
      training.say("accuracy on images that training never saw: %.1f %%", 100 * accuracy);
      return new Result(accuracy, rate);
    }
  }

  /**
   * The batches of a trainer, without end: augmented training images, float32 [128, 28, 28], and
   * labels, int32 [128], from the workers of a dispatcher.
   */
  public static Dataset batches(FashionMnist data, String dispatcher) {
    return data.train(BATCH)
        .repeat(-1)
        .apply(DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher));
  }

  /** The trainer of the worker {@code task}, whose server is {@code target}. */
  public static Trainer trainer(String target, int task) {
    return trainer(target, WorkerGpus.NONE.device(task));
  }

  /** The trainer that computes on {@code device}, of the server {@code target}. */
  private static Trainer trainer(String target, String device) {
    return new Trainer(target, new ClassifierGraph(device, LEARNING_RATE));
  }

  /**
   * Opens the trainers in order: the chief initializes first, so that no trainer takes parameters
   * of an earlier training for initialized ones.
   */
  private void open() {
    for (int task = 0; task < workers.size(); task++) {
      String device = gpus.device(task);
      Trainer trainer = trainer(workers.get(task), device);
      trainers.add(trainer);
      say("trainer %d computes on %s", task, device);
      if (task == 0) {
        trainer.initialize();
      } else {
        trainer.awaitInitialized(INITIALIZATION_TIMEOUT, ticker);
      }
    }
  }

  /** Trains; returns the number of images that all trainers learnt from. */
  private long train() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletionService<Long> learning = new ExecutorCompletionService<>(threads);
      for (int task = 0; task < trainers.size(); task++) {
        int own = task;
        var _ = learning.submit(() -> train(own));
      }
      try {
        long learnt = 0;
        for (int i = 0; i < trainers.size(); i++) {
          learnt += learning.take().get();
        }
        return learnt;
      } catch (ExecutionException e) {
        threads.shutdownNow();
        Throwable cause = requireNonNull(e.getCause());
        throw new StatusException(StatusException.codeOf(cause), "a trainer failed: " + cause, e);
      } catch (InterruptedException e) {
        threads.shutdownNow();
        Thread.currentThread().interrupt();
        throw new StatusException(StatusCode.CANCELLED, "interrupted", e);
      }
    }
  }

  private long train(int task) {
    long learnt = 0;
    long globalStep = 0;
    try (var elements = batches.iterator()) {
      while (globalStep < steps) {
        Element batch = elements.next();
        Trainer.Step step = trainers.get(task).learn(batch.component(0), batch.component(1));
        globalStep = step.globalStep();
        learnt += BATCH;
        if (learnt / BATCH % REPORT_INTERVAL == 1) {
          say("trainer %d: step %,d, loss %.3f", task, globalStep, step.loss());
        }
      }
    }
    return learnt;
  }

  private double accuracy(FashionMnist data) {
    long right = 0;
    long all = 0;
    for (Element batch : data.test(BATCH)) {
      right += trainers.getFirst().classify(batch.component(0), batch.component(1));
      all += batch.component(1).elements();
    }
    return (double) right / all;
  }

  private double seconds(long started) {
    return (ticker.nanoTime() - started) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /** Closes the trainers' sessions. Idempotent. */
  @Override
  public void close() {
    trainers.forEach(Trainer::close);
  }

  @FormatMethod
  private void say(@FormatString String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
    out.flush();
  }
}
