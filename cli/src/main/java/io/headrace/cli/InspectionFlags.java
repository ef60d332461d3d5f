package io.headrace.cli;

import io.headrace.client.DispatcherInspection;
import io.headrace.client.DispatcherOperations;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The flags of commands that ask a running dispatcher. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class InspectionFlags {
  @Option(
      names = {"--dispatcher-address", "--dispatcher"},
      paramLabel = "HOST:PORT",
      required = true,
      description = "The dispatcher, which must be Headrace's. Needed.")
  String dispatcherAddress = "";

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description = "Milliseconds to wait for each answer. Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  /**
   * An inspection of the dispatcher; the caller closes it.
   *
   * @throws StatusException INVALID_ARGUMENT, naming the invalid flag
   */
  DispatcherInspection inspect() {
    return inspect(dispatcherAddress, timeoutMs);
  }

  /** An inspection with the values of the flags; fails as {@link #inspect()} does. */
  static DispatcherInspection inspect(String dispatcherAddress, long timeoutMs) {
    return DispatcherInspection.of(target(dispatcherAddress), timeout(timeoutMs));
  }

  /** Operations of the dispatcher; the caller closes them. Fails as {@link #inspect()} does. */
  DispatcherOperations operate() {
    return DispatcherOperations.of(target(dispatcherAddress), timeout(timeoutMs));
  }

  private static String target(String dispatcherAddress) {
    return GrpcTargets.ofAddress(Flags.address("--dispatcher-address", dispatcherAddress));
  }

  private static Duration timeout(long timeoutMs) {
    return Flags.millis("--timeout-ms", timeoutMs);
  }
}
