package io.headrace.cli;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace devices}: lists the devices of a cluster, or of this machine. */
@Command(
    name = "devices",
    sortOptions = false,
    description = {
      "List the devices of a cluster, as one of its tasks reports them: one per line, with name,"
          + " type, memory in bytes and incarnation.",
      "The task may be Headrace's or TensorFlow's; it queries the other tasks of its cluster, and"
          + " waits for them.",
      "Without a target: the processors and GPUs of this machine. --explain says how the CUDA"
          + " driver was looked for, and why there is no GPU."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class DevicesCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "TARGET",
      description =
          "A task of the cluster: [grpc://]HOST:PORT. Default: this machine, without one.")
  String target = "";

  @Option(
      names = "--explain",
      description = "Say how the devices of this machine were looked for. Without a target only.")
  boolean explain;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description =
          "Milliseconds to wait for an answer; -1 waits forever. Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  @Override
  public Integer call() {
    if (target.isEmpty()) {
      return listThisMachine();
    }
    if (explain) {
      return OneLineErrors.refuse(
          spec.commandLine(),
          StatusException.invalidArgument("--explain is about this machine: leave out %s", target));
    }
    return SessionRun.run(
        spec.commandLine(),
        () -> Session.open(SessionRun.target(target), new Graph(), SessionRun.limit(timeoutMs)),
        session -> print(session.devices(), Headrace.out(spec)));
  }

  private int listThisMachine() {
    try {
      MachineDevices devices = MachineDevices.of(CudaDrivers.find());
      devices.list(Headrace.out(spec));
      if (explain) {
        devices.explain(Headrace.out(spec));
      }
      return 0;
    } catch (StatusException e) {
      return OneLineErrors.refuse(spec.commandLine(), e);
    }
  }

  private static void print(List<DeviceAttributes> devices, PrintWriter out) {
    devices.stream()
        .sorted(Comparator.comparing(DeviceAttributes::getName))
        .forEach(device ->
            out.printf(
                "%s %s %d %s%n",
                device.getName(),
                device.getDeviceType(),
                device.getMemoryLimit(),
                Long.toUnsignedString(device.getIncarnation())));
    out.flush();
  }
}
