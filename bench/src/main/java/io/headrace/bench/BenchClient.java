package io.headrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ServiceCompression;
import io.headrace.client.TargetWorkers;
import io.headrace.dataset.ChunkReader;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.Optional;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;

/**
 * A Java client that measures on command: {@code BenchClient TARGET DATASET_ID
 * parallel_epochs|distributed_epoch|in_process|cached|at_most_once|exactly_once
 * elements|columns|iterations}. With a guarantee in place of a mode, it registers a mapped and
 * batched range under the id and reads that. With in_process, it reads a worker of its own. With
 * cached, it is the second trainer of a job with a cache, and the first one, too, which reads while
 * the second does.
 *
 * <p>Prints "ready", and then answers lines as {@code stock_client.py} does: "read SECONDS" with
 * "read ELEMENTS SECONDS", "wait SECONDS" with "wait LONGEST", "iterate" with "iterate FIRST
 * WHOLE". It accesses every element or column that it takes.
 */
@SuppressWarnings("SystemOut") // standard output carries the results
final class BenchClient {
  private static final double NANOS = 1e9;

  /** The most elements between two reads of the clock, which costs as much as a small element. */
  private static final int MAX_ELEMENTS_PER_CLOCK_READ = 16;

  /** The clock is read after each element if elements take longer than this. */
  private static final long SHORT_NANOS = 100_000;

  private final Dataset dataset;
  private final Optional<Dataset> background;
  private int elementsPerClockRead = 1;
  private long touched;

  private BenchClient(Dataset dataset, Optional<Dataset> background) {
    this.dataset = dataset;
    this.background = background;
  }

  /** Runs until its input ends. */
  public static void main(String[] args) {
    BenchClient client = of(args[0], args[1], args[2]);
    System.out.println("ready");
    switch (args[3]) {
      case "elements" -> client.answerByElements();
      case "columns" -> client.answerByColumns();
      case "iterations" -> client.answerByIterations();
      default -> throw new IllegalArgumentException("no such way to read: " + args[3]);
    }
    System.err.println("read something: " + (client.touched != 0));
  }

  private static BenchClient of(String target, String id, String mode) {
    return mode.equals("cached")
        ? new BenchClient(cached(target, id, "second"), Optional.of(cached(target, id, "first")))
        : new BenchClient(dataset(target, id, mode), Optional.empty());
  }

  private static Dataset cached(String target, String id, String trainer) {
    return DataService.fromDatasetId(
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
            .withJobName("java-trainers")
            .withCrossTrainerCache(trainer),
        target,
        id);
  }

  private static Dataset dataset(String target, String id, String mode) {
    return switch (mode) {
      case "parallel_epochs" ->
          DataService.fromDatasetId(
              DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS), target, id);
      case "distributed_epoch" ->
          DataService.fromDatasetId(DistributeOptions.of(ProcessingMode.DYNAMIC), target, id);
      case "in_process" -> {
        var _ = WorkerServer.start(WorkerConfig.forDispatcher(GrpcTargets.address(target)));
        yield DataService.fromDatasetId(
            DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
                .withTargetWorkers(TargetWorkers.LOCAL),
            target,
            id);
      }
      case "at_most_once" -> guaranteed(target, id, Guarantee.AT_MOST_ONCE);
      case "exactly_once" -> guaranteed(target, id, Guarantee.EXACTLY_ONCE);
      default -> throw new IllegalArgumentException("no such mode: " + mode);
    };
  }

  private static Dataset guaranteed(String target, String id, Guarantee guarantee) {
    Dataset numbers = Dataset.range(1L << 60).map(x -> x.mul(3)).batch(256);
    String registered =
        DataService.registerDataset(target, numbers, ServiceCompression.NONE, Optional.of(id));
    return DataService.fromDatasetId(
        DistributeOptions.of(ProcessingMode.DYNAMIC)
            .withCompression(ServiceCompression.NONE)
            .withGuarantee(guarantee),
        target,
        registered);
  }

  private void answerByElements() {
    try (ElementIterator iterator = dataset.iterator()) {
      answer(() -> takeElements(iterator), seconds -> longestWait(iterator, seconds));
    }
  }

  private void answerByColumns() {
    try (ChunkReader reader = dataset.chunks()) {
      answer(
          () -> takeColumns(reader),
          _ -> {
            throw new IllegalArgumentException("columns are not waited for");
          });
    }
  }

  private void answer(LongSupplier take, DoubleConsumer wait) {
    try (ElementIterator other = background.orElseGet(() -> Dataset.range(0)).iterator()) {
      var input = new Scanner(System.in, UTF_8);
      while (input.hasNext()) {
        if (input.next("read|wait").equals("read")) {
          double nanos = input.nextDouble() * NANOS;
          readBeside(other, () -> read(nanos, take));
        } else {
          wait.accept(input.nextDouble());
        }
      }
    }
  }

  /** Runs {@code read} while another thread reads {@code other}. */
  private static void readBeside(ElementIterator other, Runnable read) {
    var isOver = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture<Void> beside =
          CompletableFuture.runAsync(
              () -> {
                while (!isOver.get() && other.hasNext()) {
                  var _ = other.next();
                }
              },
              threads);
      try {
        read.run();
      } finally {
        isOver.set(true);
      }
      var _ = beside.join();
    }
  }

  private void longestWait(ElementIterator iterator, double seconds) {
    long started = now();
    long last = started;
    long longest = 0;
    while (last - started < seconds * NANOS) {
      touch(iterator.next().tensor());
      long now = now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    System.out.println("wait " + longest / NANOS);
  }

  private void answerByIterations() {
    var input = new Scanner(System.in, UTF_8);
    while (input.hasNext()) {
      input.next("iterate");
      iterate();
    }
  }

  private void read(double nanos, LongSupplier take) {
    long started = now();
    long elements = 0;
    long took = 0;
    while (took < nanos) {
      elements += take.getAsLong();
      long before = took;
      took = now() - started;
      elementsPerClockRead =
          took - before < SHORT_NANOS
              ? Math.min(MAX_ELEMENTS_PER_CLOCK_READ, 2 * elementsPerClockRead)
              : 1;
    }
    System.out.println("read " + elements + " " + took / NANOS);
  }

  private long takeElements(ElementIterator iterator) {
    int elements = elementsPerClockRead;
    for (int i = 0; i < elements; i++) {
      iterator.next().components().forEach(this::touch);
    }
    return elements;
  }

  private long takeColumns(ChunkReader reader) {
    Chunk chunk = reader.next();
    if (chunk == null) {
      throw new IllegalStateException("the dataset came to an end");
    }
    switch (chunk.column(0)) {
      case Column.Stacked(Tensor tensor) -> touch(tensor);
      case Column.Listed listed -> listed.tensors().forEach(this::touch);
    }
    return chunk.rows();
  }

  private void iterate() {
    long started = now();
    long first = 0;
    try (ElementIterator iterator = dataset.iterator()) {
      while (iterator.hasNext()) {
        Element element = iterator.next();
        first = first == 0 ? now() - started : first;
        touch(element.tensor());
      }
    }
    System.out.println("iterate " + first / NANOS + " " + (now() - started) / NANOS);
  }

  /** Accesses the first and the last value, so that the values must exist. */
  private void touch(Tensor tensor) {
    if (tensor.elements() == 0) {
      return;
    }
    int first = TensorMemory.offset(tensor);
    int last = first + tensor.elements() - 1;
    touched +=
        switch (TensorMemory.array(tensor)) {
          case long[] values -> values[first] ^ values[last];
          case int[] values -> values[first] ^ values[last];
          case float[] values -> (long) (values[first] + values[last]);
          case byte[] values -> values[first] ^ values[last];
          case byte[][] values -> values[first].length ^ values[last].length;
          default -> throw new IllegalStateException("no row of the bench has " + tensor.dtype());
        };
  }

  private static long now() {
    return SystemTicker.INSTANCE.nanoTime();
  }
}
