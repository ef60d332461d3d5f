package io.headrace.examples;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The complete system on one machine: a dispatcher and two workers as processes, a pipeline over
 * real images on the workers, and a trainer in this process that reads the batches.
 */
public final class Quickstart {
  private static final int WORKERS = 2;
  private static final int BATCH = 128;

  /** The first step's; it falls linearly to 0, so that no chance of the last batches decides. */
  private static final float LEARNING_RATE = 0.1f;

  private final long imagesToSee;
  private final PrintWriter out;
  private final Ticker ticker = SystemTicker.INSTANCE;

  private Quickstart(long imagesToSee, PrintWriter out) {
    this.imagesToSee = imagesToSee;
    this.out = out;
  }

  /**
   * Runs the quickstart; returns the accuracy on test images, from 0 to 1.
   *
   * @param command the command line of {@code headrace}, without its arguments
   * @param imagesToSee the number of images to train on, repetitions included
   * @param out receives progress and results
   */
  public static double run(List<String> command, long imagesToSee, PrintWriter out)
      throws IOException {
    try (TemporaryFolder folder = TemporaryFolder.create("headrace-quickstart")) {
      return new Quickstart(imagesToSee, out).run(command, FashionMnist.find(folder.path()));
    }
  }

  private double run(List<String> command, FashionMnist data) {
    say("starting a dispatcher and %d workers", WORKERS);
    try (LocalDataService cluster = LocalDataService.start(command, WORKERS)) {
      say("reading %s through %s", data.trainImages().getFileName(), cluster.target());
      Classifier classifier =
          new Classifier(FashionMnist.PIXELS, FashionMnist.CLASSES, new SplittableRandom(1));
      train(classifier, data, cluster.target());
      double accuracy = accuracy(classifier, data);
      say("accuracy on images that training never saw: %.1f %%", 100 * accuracy);
      return accuracy;
    }
  }

  private void train(Classifier classifier, FashionMnist data, String target) {
    ReadStatistics statistics = new ReadStatistics();
    Dataset batches =
        data.train(BATCH)
            .apply(
                DataService.distribute(
                    DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withStatistics(statistics),
                    target));
    long started = ticker.nanoTime();
    long seen = 0;
    for (int epoch = 1; seen < imagesToSee; epoch++) {
      float loss = 0;
      int count = 0;
      try (var elements = batches.iterator()) {
        while (seen < imagesToSee && elements.hasNext()) {
          Element batch = elements.next();
          loss +=
              classifier.train(
                  batch.component(0).floats(),
                  batch.component(1).ints(),
                  BATCH,
                  LEARNING_RATE * (1 - (float) seen / imagesToSee));
          seen += BATCH;
          count++;
        }
      }
      say(
          "epoch %d: %,d images so far, %,.0f images/s, loss %.3f",
          epoch, seen, seen / seconds(started), loss / Math.max(1, count));
    }
    report(statistics, started);
  }

  private void report(ReadStatistics statistics, long started) {
    double seconds = seconds(started);
    statistics
        .elementsByWorker()
        .forEach((worker, batches) ->
            say("worker %s: %,.0f images/s", worker, batches * BATCH / seconds));
    say(
        "the trainer waited for data %.2f s of %.2f s",
        statistics.waitNanos() / (double) TimeUnit.SECONDS.toNanos(1), seconds);
  }

  private double seconds(long started) {
    return (ticker.nanoTime() - started) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private static double accuracy(Classifier classifier, FashionMnist data) {
    long right = 0;
    long all = 0;
    for (Element batch : data.test(BATCH)) {
      float[] pixels = batch.component(0).floats();
      int[] labels = batch.component(1).ints();
      for (int i = 0; i < batch.component(1).elements(); i++) {
        right += classifier.classify(pixels, i * FashionMnist.PIXELS) == labels[i] ? 1 : 0;
        all++;
      }
    }
    return (double) right / all;
  }

  @FormatMethod
  private void say(@FormatString String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
    out.flush();
  }
}
