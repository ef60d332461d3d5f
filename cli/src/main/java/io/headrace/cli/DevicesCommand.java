package io.headrace.cli;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Session;
import io.headrace.proto.tensorflow.DeviceAttributes;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace devices}: lists the devices of a cluster. */
@Command(
    name = "devices",
    sortOptions = false,
    description = {
      "List the devices of a cluster, as one of its tasks reports them: one per line, with name,"
          + " type, memory in bytes and incarnation.",
      "The task may be Headrace's or TensorFlow's; it queries the other tasks of its cluster, and"
          + " waits for them."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class DevicesCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      paramLabel = "TARGET",
      description = "A task of the cluster: [grpc://]HOST:PORT. Needed.")
  String target = "";

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description =
          "Milliseconds to wait for an answer; -1 waits forever. Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  @Override
  public Integer call() {
    return SessionRun.run(
        spec.commandLine(),
        () -> Session.open(SessionRun.target(target), new Graph(), SessionRun.limit(timeoutMs)),
        session -> print(session.devices(), Headrace.out(spec)));
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
