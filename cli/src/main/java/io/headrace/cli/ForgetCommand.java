package io.headrace.cli;

import io.headrace.cli.text.StatusText;
import io.headrace.client.DispatcherOperations;
import io.headrace.proto.headrace.ForgetClientResponse;
import io.headrace.proto.headrace.ForgetDatasetResponse;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace forget}: has a dispatcher forget a reader or a dataset. */
@Command(
    name = "forget",
    sortOptions = false,
    description = {
      "Have a dispatcher forget a reader that is gone, or a dataset that no job reads, without"
          + " waiting for its time-outs.",
      "What the reader was handed and has not taken is settled as its job's guarantee says. If it"
          + " is still there, it fails with FAILED_PRECONDITION. Runs on the dispatcher's host,"
          + " with a loopback address."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class ForgetCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  Subject subject = new Subject();

  @Mixin InspectionFlags asked = new InspectionFlags();

  /** The reader or the dataset. */
  static final class Subject {
    @Option(
        names = "--reader",
        paramLabel = "ID",
        description = "The reader's number in headrace status. Needed, unless it is a dataset.")
    Optional<Long> reader = Optional.empty();

    @Option(
        names = "--dataset-id",
        paramLabel = "ID",
        description = "The dataset's id. Needed, unless it is a reader.")
    Optional<String> dataset = Optional.empty();
  }

  @Override
  public Integer call() {
    try (DispatcherOperations dispatcher = asked.operate()) {
      PrintWriter out = Headrace.out(spec);
      subject.reader.ifPresent(id -> out.println(forget(id, dispatcher.forgetClient(id))));
      subject.dataset.ifPresent(id -> out.println(forget(id, dispatcher.forgetDataset(id))));
      out.flush();
      return 0;
    }
  }

  private static String forget(long reader, ForgetClientResponse of) {
    return "reader %d of job %d is forgotten; %,d readers are left"
        .formatted(reader, of.getJobId(), of.getReadersLeft());
  }

  private static String forget(String dataset, ForgetDatasetResponse of) {
    return "dataset %s is forgotten, %s".formatted(dataset, StatusText.bytes(of.getGraphBytes()));
  }
}
