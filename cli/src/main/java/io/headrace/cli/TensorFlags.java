package io.headrace.cli;

import io.headrace.runtime.tensor.TensorLimit;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flag for the size limit of tensors; mixed into its command. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class TensorFlags {
  @Option(
      names = "--max-tensor-bytes",
      paramLabel = "BYTES",
      description =
          "The size limit of a tensor; a larger one fails with RESOURCE_EXHAUSTED. Default: a"
              + " quarter of the heap.")
  Optional<Long> maxTensorBytes = Optional.empty();

  /** Sets the limit of this process. */
  void apply() {
    Flags.bytes("--max-tensor-bytes", maxTensorBytes).ifPresent(TensorLimit::setMaxBytes);
  }
}
