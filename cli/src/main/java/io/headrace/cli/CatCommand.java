package io.headrace.cli;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ReadStatistics;
import io.headrace.client.Transfer;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace cat}: prints the elements of a registered dataset. */
@Command(
    name = "cat",
    sortOptions = false,
    description = {
      "Read a registered dataset: prints one element per line on standard output, and the progress"
          + " on standard error.",
      "Reads as any client does, in a job of its own or in the shared job of --job-name."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class CatCommand implements Callable<Integer> {
  private static final int INTERRUPTED = 130;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--dispatcher-address",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The dispatcher, Headrace's or TensorFlow's. Needed.")
  String dispatcherAddress = "";

  @Option(
      names = "--dataset-id",
      paramLabel = "ID",
      required = true,
      description = "The id of the registered dataset. Needed.")
  String datasetId = "";

  @Option(
      names = "--job-name",
      paramLabel = "NAME",
      description =
          "Share the job of this name, and its elements, with other readers. Default: a job of"
              + " its own.")
  Optional<String> jobName = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "ELEMENTS",
      defaultValue = "-1",
      description =
          "The number of elements after which to stop; -1 reads all. Default: ${DEFAULT-VALUE}.")
  long limit;

  @Option(
      names = "--max-values",
      paramLabel = "VALUES",
      defaultValue = "16",
      description = "The most values printed per tensor; -1 prints all. Default: ${DEFAULT-VALUE}.")
  int maxValues;

  @Option(
      names = "--data-transfer-protocol",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "How elements travel from workers: ${COMPLETION-CANDIDATES}; auto is stream where a"
              + " worker offers it. Default: ${DEFAULT-VALUE}.")
  TransferName transfer = TransferName.AUTO;

  private final ReadStatistics statistics = new ReadStatistics();
  private final AtomicReference<@Nullable ElementIterator> reading = new AtomicReference<>();

  /** {@link Transfer}, as spelled in the flag. */
  enum TransferName {
    AUTO,
    GRPC,
    STREAM;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() {
    StopSignals signals = StopSignals.handle(this::stop);
    try {
      read(dataset());
    } catch (StatusException e) {
      if (!signals.asked()) {
        throw e;
      }
    }
    return signals.asked() ? INTERRUPTED : 0;
  }

  private Dataset dataset() {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
            .withTransfer(Transfer.valueOf(transfer.name()))
            .withStatistics(statistics);
    DistributeOptions named = jobName.map(options::withJobName).orElse(options);
    String target = Flags.address("--dispatcher-address", dispatcherAddress);
    return DataService.fromDatasetId(named, target, datasetId).take(limit);
  }

  private void read(Dataset dataset) {
    PrintWriter out = Headrace.out(spec);
    ElementText text = new ElementText(maxValues);
    ReadProgress progress = new ReadProgress(statistics, SystemTicker.INSTANCE);
    try (ElementIterator iterator = dataset.iterator();
        ProgressLine line = ProgressLine.start(spec.commandLine().getErr(), progress::now)) {
      reading.set(iterator);
      boolean more = iterator.hasNext();
      progress.promise().ifPresent(line::say);
      // A closed pipe, as behind head, is an error of the output.
      for (; more && !out.checkError(); more = iterator.hasNext()) {
        line.print(out, text.of(iterator.next()));
      }
      out.flush();
      line.finish(progress.total());
    }
  }

  /** Ends the read, or the process if the read has not begun. */
  private void stop() {
    ElementIterator iterator = reading.get();
    if (iterator == null) {
      Runtime.getRuntime().halt(INTERRUPTED);
    } else {
      iterator.close();
    }
  }
}
