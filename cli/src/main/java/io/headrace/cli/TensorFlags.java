package io.headrace.cli;

import io.headrace.runtime.tensor.TensorLimit;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flag that bounds the tensors of a process; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets what carries its annotations
final class TensorFlags {
  @Option(
      names = "--max-tensor-bytes",
      paramLabel = "BYTES",
      description =
          "How large a tensor may be; a larger one is refused with RESOURCE_EXHAUSTED. Default: a"
              + " quarter of the heap.")
  Optional<Long> maxTensorBytes = Optional.empty();

  /** From now on it holds for this process. */
  void apply() {
    Flags.bytes("--max-tensor-bytes", maxTensorBytes).ifPresent(TensorLimit::setMaxBytes);
  }
}
