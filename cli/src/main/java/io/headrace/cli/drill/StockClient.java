package io.headrace.cli.drill;

import io.headrace.client.Guarantee;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * TensorFlow's own client, unchanged: a Python process that reads the job with {@code
 * tf.data.experimental.service} and answers for each element. Its job has a name, so that another
 * process can go on with it.
 */
final class StockClient implements DrillClient {
  private static final String SCRIPT = "stock_reader.py";
  private static final String JOB = "drill";
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final Map<String, String> ENVIRONMENT =
      Map.of("TF_CPP_MIN_LOG_LEVEL", "3", "CUDA_VISIBLE_DEVICES", "");

  private final List<String> command;
  private final Path log;
  private final DispatcherLog dispatcher;
  // All that were started; the last one reads.
  private final List<DrillProcess> started = new CopyOnWriteArrayList<>();
  // Held while a process is replaced.
  private final Object replacing = new Object();
  private volatile boolean closed;

  private StockClient(List<String> command, Path log, DispatcherLog dispatcher) {
    this.command = command;
    this.log = log;
    this.dispatcher = dispatcher;
  }

  /**
   * Writes the script into {@code folder}; nothing runs before {@link #start}.
   *
   * @param python a Python that imports {@code tensorflow}
   * @param target the dispatcher
   * @param folder the drill's folder, which has the dispatcher's log
   */
  static StockClient of(DrillJob job, String python, String target, Path folder)
      throws IOException {
    Path script = folder.resolve(SCRIPT);
    try (InputStream source = StockClient.class.getResourceAsStream(SCRIPT)) {
      if (source == null) {
        throw new IllegalStateException("there is no resource " + SCRIPT);
      }
      Files.copy(source, script, StandardCopyOption.REPLACE_EXISTING);
    }
    return new StockClient(
        List.of(
            python,
            "-B",
            script.toString(),
            target,
            JOB,
            Integer.toString(job.elementBytes()),
            job.source()),
        folder.resolve("reader.log"),
        DispatcherLog.in(folder));
  }

  /** Starts the process, and waits until it reads. */
  void start() throws InterruptedException {
    DrillProcess process;
    try {
      process = DrillProcess.start("stock reader", command, ENVIRONMENT, log);
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION, "the stock reader did not start: " + e.getMessage(), e);
    }
    started.add(process);
    if (closed) {
      process.destroy();
    }
    process.awaitReady(START_LIMIT);
  }

  @Override
  public OptionalLong next() {
    while (true) {
      DrillProcess asked = current();
      Optional<String> answer = asked.ask("next");
      if (answer.isPresent()) {
        return answer.get().equals("end")
            ? OptionalLong.empty()
            : OptionalLong.of(number(answer.get()));
      }
      if (asked == current()) {
        throw new StatusException(
            StatusCode.UNAVAILABLE, "the stock reader has ended: " + asked.lastLogged());
      }
    }
  }

  /** The process that reads, which is ready; waits while one is replaced. */
  private DrillProcess current() {
    synchronized (replacing) {
      return started.getLast();
    }
  }

  private static long number(String answer) {
    try {
      return Long.parseLong(answer);
    } catch (NumberFormatException e) {
      throw new StatusException(StatusCode.INTERNAL, "the stock reader answered with " + answer, e);
    }
  }

  @Override
  public void replace(DrillProgress stage) throws InterruptedException {
    synchronized (replacing) {
      DrillProcess killed = started.getLast();
      stage.fault("kill -9 of the reader, process " + killed.pid());
      killed.kill();
      start();
    }
    stage.step("another reader of the job goes on, process " + started.getLast().pid());
  }

  /** The dispatcher of a drill reads jobs of stock clients at most once. */
  @Override
  public Facts facts() {
    DispatcherLog.Losses losses = dispatcher.losses();
    return new Facts(
        Optional.of(Guarantee.AT_MOST_ONCE), "", losses.tasks(), Optional.of(losses.elements()));
  }

  @Override
  public void close() {
    closed = true;
    started.forEach(DrillProcess::destroy);
    started.forEach(DrillProcess::awaitDestroyed);
  }
}
