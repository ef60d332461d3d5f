package io.headrace.cli;

import io.headrace.rpc.inspect.Inspection;
import picocli.CommandLine.Option;

/** The flags of what gRPC itself tells of a server; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class GrpcFlags {
  @Option(
      names = "--grpc-reflection",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Describe the server's services to callers on its own host, by gRPC's reflection, so that"
              + " tools such as grpcurl can call them. Default: ${DEFAULT-VALUE}.")
  boolean reflection;

  @Option(
      names = "--grpc-channelz",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description =
          "Tell callers on the server's own host of its connections and channels, by gRPC's"
              + " channelz. Default: ${DEFAULT-VALUE}.")
  boolean channelz;

  /** The services that look into the process. */
  Inspection inspection() {
    return new Inspection(reflection, channelz);
  }
}
