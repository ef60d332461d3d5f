package io.headrace.cli;

import io.headrace.rpc.ReceiveBudget;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags that say how a server talks to its peers; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets what carries its annotations
final class TransportFlags {
  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      defaultValue = "grpc",
      description = "How to talk to peers; grpc is the one there is. Default: ${DEFAULT-VALUE}.")
  String protocol = "";

  @Option(
      names = "--max-receive-bytes",
      paramLabel = "BYTES",
      description =
          "How many bytes may be on their way in at a time, over all connections; more are refused"
              + " with RESOURCE_EXHAUSTED. Default: a quarter of the heap.")
  Optional<Long> maxReceiveBytes = Optional.empty();

  /** The protocol; fails for one that there is not. */
  String protocol() {
    return Flags.protocol("--protocol", protocol);
  }

  /** How many bytes, if that is said. */
  Optional<Long> maxReceiveBytes() {
    return Flags.bytes("--max-receive-bytes", maxReceiveBytes);
  }

  /** A bound of so many bytes, if that is said. */
  Optional<ReceiveBudget> receiveBudget() {
    return maxReceiveBytes().map(ReceiveBudget::ofBytes);
  }
}
