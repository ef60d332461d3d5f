package io.headrace.cli;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.cluster.spec.ClusterConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace server}: runs a task of a cluster until SIGTERM. */
@Command(
    name = "server",
    sortOptions = false,
    description = {
      "Run a task of a TensorFlow cluster: sessions can be opened on it, and those of other tasks"
          + " run parts of their steps on its devices.",
      "Without --cluster, the environment variable TF_CONFIG, if set, defines the cluster and the"
          + " task.",
      "Prints \"ready grpc://HOST:PORT\" once it serves. SIGTERM stops it in order, a second one"
          + " at once."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class ServerCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin ServerFlags task = new ServerFlags();

  @Mixin TransportFlags transport = new TransportFlags();

  @Mixin TensorFlags tensors = new TensorFlags();

  @Option(
      names = "--config",
      paramLabel = "@FILE",
      description =
          "The defaults of sessions: a file with a ConfigProto as JSON, text or binary. Default:"
              + " TensorFlow's.")
  Optional<String> config = Optional.empty();

  @Option(
      names = "--devices",
      paramLabel = "gpu|gpu:N[,...]",
      description =
          "The GPUs that the server offers beside its CPUs, as /device:GPU:0 and so on: all, or"
              + " those with these numbers. Their memory is taken as the gpu_options of --config"
              + " say. Default: none.")
  Optional<String> devices = Optional.empty();

  @Option(
      names = "--session-timeout-ms",
      paramLabel = "MS",
      description =
          "How long a session opened here may stay unused before it is closed, since its client"
              + " may be gone; 0 for never, as in TensorFlow. Default: ${DEFAULT-VALUE}.")
  long sessionTimeoutMs = Timeouts.DEFAULT.session().toMillis();

  @Override
  public Integer call() throws InterruptedException {
    return ServerProcess.run(spec.commandLine(), () -> server(definition(System.getenv()), host()));
  }

  /** The task's definition; fails with a StatusException that names the invalid flag. */
  ServerDef definition(Map<String, String> environment) {
    var _ = transport.protocol();
    ConfigProto sessions =
        config
            .map(flag -> ClusterConfig.sessionConfig(ServerFlags.file("--config", flag)))
            .orElse(ConfigProto.getDefaultInstance());
    return task.cluster()
        .or(() -> ClusterConfig.ofEnvironment(environment))
        .map(found -> task.task(found, sessions))
        .orElseGet(() -> task.taskAlone(sessions));
  }

  /** The process's settings; fails as {@link #definition} does. */
  ServerHost host() {
    tensors.apply();
    ServerHost host =
        devices
            .map(flag -> Flags.gpus("--devices", flag))
            .map(gpus ->
                ServerHost.ofProcess()
                    .withAccelerators(sessions ->
                        gpus.open(sessions, System.getenv(), CublasLibraries.of(System.getenv()))))
            .orElseGet(ServerHost::ofProcess)
            .withTimeouts(
                task.timeouts()
                    .withSession(Flags.millisOrNone("--session-timeout-ms", sessionTimeoutMs)));
    return transport.receiveBudget().map(host::withReceiveBudget).orElse(host);
  }

  private static ServerProcess.Server server(ServerDef definition, ServerHost host) {
    Server server = new Server(definition, host);
    return new ServerProcess.Server(
        () -> {
          server.start();
          return server.target();
        },
        server::join,
        server::stop);
  }
}
