package io.headrace.cli;

import io.headrace.rpc.ReceiveBudget;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags of a server's transport; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class TransportFlags {
  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      defaultValue = "grpc",
      description =
          "The protocol between servers and their peers; only grpc is supported. Default:"
              + " ${DEFAULT-VALUE}.")
  String protocol = "";

  @Option(
      names = "--max-receive-bytes",
      paramLabel = "BYTES",
      description =
          "The most bytes received at a time, over all connections; messages beyond fail with"
              + " RESOURCE_EXHAUSTED. Default: a quarter of the heap.")
  Optional<Long> maxReceiveBytes = Optional.empty();

  /** The protocol; fails for an unsupported one. */
  String protocol() {
    return Flags.protocol("--protocol", protocol);
  }

  /** The limit in bytes, if given. */
  Optional<Long> maxReceiveBytes() {
    return Flags.bytes("--max-receive-bytes", maxReceiveBytes);
  }

  /** The budget with that limit, if given. */
  Optional<ReceiveBudget> receiveBudget() {
    return maxReceiveBytes().map(ReceiveBudget::ofBytes);
  }
}
