package io.headrace.cli;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.client.ServiceCompression;
import io.headrace.client.Transfer;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.tensor.DataType;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code headrace train-aot}: makes the JVM do what servers and readers do, so that the launcher
 * can keep what it learnt (the AOT cache) for the next start. Leaves nothing behind, and ends
 * within a minute whatever happens.
 */
@Command(name = "train-aot", hidden = true, description = "Warm up for the AOT cache.")
@SuppressWarnings("FieldCanBeFinal") // picocli sets what carries its annotations
final class TrainCommand implements Runnable {
  private static final int LIMIT_SECONDS = 60;
  private static final int CALLS = 4_000;
  private static final int ROWS = 500_000;

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS)
        .execute(() -> Runtime.getRuntime().halt(OneLineErrors.FAILED));
    explainCommands();
    try (var dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        var _ = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()))) {
      long read = 0;
      for (Transfer transfer : new Transfer[] {Transfer.GRPC, Transfer.STREAM}) {
        read += read(numbers(transfer == Transfer.GRPC ? CALLS : ROWS), transfer, dispatcher);
        read += read(batches(), transfer, dispatcher);
      }
      Headrace.out(spec).printf("read %d elements%n", read);
    }
  }

  private void explainCommands() {
    for (CommandLine command : spec.root().commandLine().getSubcommands().values()) {
      command.usage(new PrintWriter(Writer.nullWriter()));
    }
  }

  private static Dataset numbers(long count) {
    return Dataset.range(count).map(x -> x.mul(3).add(1)).prefetch(Dataset.AUTOTUNE);
  }

  private static Dataset batches() {
    return Dataset.range(64_000)
        .map(x -> x.cast(DataType.FLOAT32).div(255f).sub(0.5f))
        .shuffle(1_000, 7)
        .batch(128, Dataset.DROP_REMAINDER)
        .prefetch(Dataset.AUTOTUNE);
  }

  private static long read(Dataset dataset, Transfer transfer, DispatchServer dispatcher) {
    long elements = 0;
    for (ServiceCompression compression :
        new ServiceCompression[] {ServiceCompression.NONE, ServiceCompression.AUTO}) {
      DistributeOptions options =
          DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS)
              .withTransfer(transfer)
              .withCompression(compression);
      Dataset distributed = dataset.apply(DataService.distribute(options, dispatcher.target()));
      try (ElementIterator iterator = distributed.iterator()) {
        while (iterator.hasNext()) {
          Element element = iterator.next();
          elements += element.components().size();
        }
      }
    }
    return elements;
  }
}
