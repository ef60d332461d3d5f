package io.headrace.cli;

import io.headrace.examples.PinnedOperations;
import io.headrace.examples.ReplicatedTraining;
import io.headrace.examples.WorkerGpus;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.kernels.GpuSelection;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headrace example}: runs an example on a local cluster. */
@Command(
    name = "example",
    description = "Run a small program on a cluster of its own, on this machine.",
    synopsisSubcommandLabel = "EXAMPLE",
    subcommands = {ExampleCommand.Pins.class, ExampleCommand.Training.class})
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class ExampleCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no example given");
  }

  /** The flag that lets the workers of an example compute on GPUs; mixed into its command. */
  @SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
  static final class WorkerDevices {
    @Option(
        names = "--devices",
        paramLabel = "gpu|gpu:N[,...]",
        description =
            "The GPUs on which the workers compute, in turn: all, or those with these numbers. With"
                + " fewer GPUs than workers, several workers share one. Default: none.")
    Optional<String> devices = Optional.empty();

    /** The GPUs that the flag names; fails with a StatusException that says what is wrong. */
    WorkerGpus gpus() {
      return devices
          .map(flag -> Flags.gpus("--devices", flag))
          .map(selected ->
              new WorkerGpus(
                  selected.names(CudaDrivers.find()),
                  (name, sessions) ->
                      GpuSelection.parse(name)
                          .open(sessions, System.getenv(), CublasLibraries.of(System.getenv()))))
          .orElse(WorkerGpus.NONE);
    }
  }

  /** {@code headrace example pins}: operations pinned to the tasks of a cluster. */
  @Command(
      name = "pins",
      description =
          "Start a parameter server and two workers, and compute a graph whose operations are"
              + " pinned to them.")
  @SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
  static final class Pins implements Callable<Integer> {
    private static final float EXPECTED = 3;

    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--in-process",
        description =
            "Start the servers within this process. Default: each is a process of its own.")
    boolean inProcess;

    @Mixin WorkerDevices devices = new WorkerDevices();

    @Override
    public Integer call() throws IOException {
      PrintWriter out = Headrace.out(spec);
      float c =
          inProcess
              ? PinnedOperations.runHere(devices.gpus(), out)
              : PinnedOperations.runOnProcesses(ThisProgram.command(), devices.gpus(), out);
      return c == EXPECTED ? 0 : 1;
    }
  }

  /** {@code headrace example training}: between-graph replicated training. */
  @Command(
      name = "training",
      description = {
        "Train a classifier of real images by between-graph replication: start a parameter server,"
            + " workers with a trainer each, and a dispatcher whose worker feeds them. Prints the"
            + " losses, the images that all trainers learn from in a second, and the accuracy on"
            + " images that training never saw.",
        "Exit status 1 if that accuracy is not over 70 %%."
      })
  @SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
  static final class Training implements Callable<Integer> {
    private static final double EXPECTED_ACCURACY = 0.7;

    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--workers",
        paramLabel = "N",
        defaultValue = "2",
        description = "How many workers train. Default: ${DEFAULT-VALUE}.")
    long workers;

    @Option(
        names = "--steps",
        paramLabel = "N",
        defaultValue = "1000",
        description =
            "How many batches of 128 images to train on, all workers together. Default:"
                + " ${DEFAULT-VALUE}.")
    long steps;

    @Mixin WorkerDevices devices = new WorkerDevices();

    @Override
    public Integer call() throws IOException {
      int trainers = Math.toIntExact(Flags.positive("--workers", workers));
      double accuracy =
          ReplicatedTraining.run(
                  ThisProgram.command(),
                  trainers,
                  devices.gpus(),
                  Flags.positive("--steps", steps),
                  Headrace.out(spec))
              .accuracy();
      return accuracy > EXPECTED_ACCURACY ? 0 : 1;
    }
  }
}
