package io.headrace.cli;

import io.headrace.examples.Quickstart;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace quickstart}: the complete system on one machine, in under a minute. */
@Command(
    name = "quickstart",
    description = {
      "Start a dispatcher and two workers, run a pipeline over real images on them, and train a"
          + " small classifier on what arrives. Prints the throughput of each worker, the time that"
          + " the trainer waited for data, and the accuracy on images that training never saw.",
      "Exit status 1 if that accuracy is not over 80 %%."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class QuickstartCommand implements Callable<Integer> {
  private static final double EXPECTED_ACCURACY = 0.8;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--images",
      paramLabel = "IMAGES",
      defaultValue = "120000",
      description =
          "The number of images to train on, repetitions included. Default: ${DEFAULT-VALUE}.")
  long images;

  @Override
  public Integer call() throws IOException {
    long toSee = Flags.positive("--images", images);
    double accuracy = Quickstart.run(ThisProgram.command(), toSee, Headrace.out(spec));
    return accuracy > EXPECTED_ACCURACY ? 0 : 1;
  }
}
