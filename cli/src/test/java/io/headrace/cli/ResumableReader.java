package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ServiceCompression;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Shuffle;
import io.headrace.runtime.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A trainer process, to be killed at any moment: it reads lines of files in batches through a
 * service, and saves its checkpoint and the lines' names to a file from time to time, and at the
 * end.
 *
 * <p>Each line of its standard input is the number of batches that it may take, or {@code all}. It
 * prints {@code kept} whenever it has saved its state, and {@code end} at last.
 */
final class ResumableReader {
  private static final int SHUFFLED = 40;
  private static final int BATCH = 8;
  private static final int BATCHES_BETWEEN_TOKENS = 2;

  private final ElementIterator batches;
  private final Path file;
  private final List<String> taken = new ArrayList<>();
  private long numBatches;

  private ResumableReader(ElementIterator batches, Path file) {
    this.batches = batches;
    this.file = file;
  }

  /**
   * The command line.
   *
   * @param target the dispatcher
   * @param data the folder of the files
   * @param job the job's name; empty for an unnamed job
   * @param file the file for the saved state
   * @param reader the index of this reader among the {@code readers} that resume together
   * @param before the saved states to resume from
   */
  record Arguments(
      String target, Path data, String job, Path file, int reader, int readers, List<Path> before) {
    Arguments {
      before = List.copyOf(before);
    }

    String[] toStrings() {
      List<String> all = new ArrayList<>();
      all.addAll(List.of(target, data.toString(), job, file.toString()));
      all.addAll(List.of(Integer.toString(reader), Integer.toString(readers)));
      before.forEach(path -> all.add(path.toString()));
      return all.toArray(String[]::new);
    }

    static Arguments of(String... args) {
      return new Arguments(
          args[0],
          Path.of(args[1]),
          args[2],
          Path.of(args[3]),
          Integer.parseInt(args[4]),
          Integer.parseInt(args[5]),
          Arrays.stream(args).skip(6).map(Path::of).toList());
    }

    private DistributeOptions options() throws IOException {
      DistributeOptions options = DistributeOptions.of(ProcessingMode.DYNAMIC);
      DistributeOptions named = job.isEmpty() ? options : options.withJobName(job);
      Optional<Checkpoint> token = merged();
      return token.map(of -> named.resumedFrom(of, reader, readers)).orElse(named);
    }

    private Optional<Checkpoint> merged() throws IOException {
      List<Checkpoint> tokens = new ArrayList<>();
      for (Path of : before) {
        tokens.add(SavedRead.of(of).token());
      }
      return tokens.stream().reduce(Checkpoint::merge);
    }

    private Dataset dataset() throws IOException {
      return distributed().shuffle(SHUFFLED, Shuffle.RANDOM).batch(BATCH).prefetch(2);
    }

    private Dataset distributed() throws IOException {
      Dataset lines =
          Dataset.listFiles(data + "/*", Shuffle.RANDOM)
              .flatMap(Dataset::textLines)
              .shuffle(SHUFFLED, Shuffle.RANDOM);
      if (job.isEmpty()) {
        return lines.apply(DataService.distribute(options(), target));
      }
      String dataset =
          DataService.registerDataset(target, lines, ServiceCompression.AUTO, Optional.of("lines"));
      return DataService.fromDatasetId(options(), target, dataset);
    }
  }

  public static void main(String[] args) throws IOException {
    Arguments arguments = Arguments.of(args);
    try (ElementIterator batches = arguments.dataset().iterator()) {
      new ResumableReader(batches, arguments.file()).run();
    }
  }

  private void run() throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    @Nullable String limit = in.readLine();
    while (limit != null && !limit.equals("all")) {
      takeUntil(Long.parseLong(limit));
      limit = in.readLine();
    }
    if (limit != null) {
      takeUntil(Long.MAX_VALUE);
      keep();
      say("end");
    }
  }

  private void takeUntil(long limit) throws IOException {
    while (numBatches < limit && batches.hasNext()) {
      Tensor lines = batches.next().tensor();
      for (int i = 0; i < lines.elements(); i++) {
        taken.add(nameOf(new String(lines.string(i), UTF_8)));
      }
      if (++numBatches % BATCHES_BETWEEN_TOKENS == 0) {
        keep();
      }
    }
  }

  /** A line is a name, a blank, and padding. */
  private static String nameOf(String line) {
    return line.substring(0, line.indexOf(' '));
  }

  private void keep() throws IOException {
    new SavedRead(batches.checkpoint(), taken).writeTo(file);
    say("kept");
  }

  @SuppressWarnings("SystemOut") // the test that kills it reads its output
  private static void say(String what) {
    System.out.println(what);
  }
}
