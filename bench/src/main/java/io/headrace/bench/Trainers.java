package io.headrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.examples.FashionMnist;
import io.headrace.examples.ReplicatedTraining;
import io.headrace.examples.Trainer;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The trainers of the training example, which measure on command: {@code Trainers FOLDER DISPATCHER
 * WORKER...}; the images are stored in FOLDER. Prints "ready", and answers as {@code
 * stock_trainers.py} does.
 */
@SuppressWarnings("SystemOut") // standard output carries the results
final class Trainers {
  private static final double NANOS = 1e9;
  private static final Duration INITIALIZATION_TIMEOUT = Duration.ofMinutes(1);

  /** A trainer and its batches. */
  private record Fed(Trainer trainer, ElementIterator batches) {}

  private final List<Fed> trainers = new ArrayList<>();

  private Trainers(Dataset batches, List<String> workers) {
    for (int task = 0; task < workers.size(); task++) {
      Trainer trainer = ReplicatedTraining.trainer(workers.get(task), task);
      if (task == 0) {
        trainer.initialize();
      } else {
        trainer.awaitInitialized(INITIALIZATION_TIMEOUT, SystemTicker.INSTANCE);
      }
      trainers.add(new Fed(trainer, batches.iterator()));
    }
  }

  /** Runs until its input ends. */
  public static void main(String[] args)
      throws IOException, InterruptedException, ExecutionException {
    FashionMnist data = FashionMnist.find(Path.of(args[0]));
    List<String> workers = Arrays.asList(args).subList(2, args.length);
    new Trainers(ReplicatedTraining.batches(data, args[1]), workers).answer();
  }

  private void answer() throws InterruptedException, ExecutionException {
    System.out.println("ready");
    var input = new Scanner(System.in, UTF_8);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      while (input.hasNext("read")) {
        input.next();
        read(input.nextDouble() * NANOS, threads);
      }
    } finally {
      for (Fed fed : trainers) {
        fed.trainer().close();
        fed.batches().close();
      }
    }
  }

  private void read(double nanos, ExecutorService threads)
      throws InterruptedException, ExecutionException {
    long started = now();
    List<Future<Long>> learning = new ArrayList<>();
    for (Fed fed : trainers) {
      learning.add(threads.submit(() -> learn(fed, started, nanos)));
    }
    long learnt = 0;
    for (Future<Long> one : learning) {
      learnt += one.get();
    }
    System.out.println("read " + learnt + " " + (now() - started) / NANOS);
  }

  private static long learn(Fed fed, long started, double nanos) {
    long learnt = 0;
    while (now() - started < nanos) {
      Element batch = fed.batches().next();
      var _ = fed.trainer().learn(batch.component(0), batch.component(1));
      learnt += batch.component(1).elements();
    }
    return learnt;
  }

  private static long now() {
    return SystemTicker.INSTANCE.nanoTime();
  }
}
