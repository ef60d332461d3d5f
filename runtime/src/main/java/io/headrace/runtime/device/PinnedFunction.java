package io.headrace.runtime.device;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a function that runs on another device. Compared by identity.
 *
 * @param pin the requested device, in full or in part
 * @param definition the part, as a function
 * @param library the functions it calls
 */
public record PinnedFunction(String pin, FunctionDef definition, List<FunctionDef> library) {
  /** Makes the list immutable. */
  public PinnedFunction {
    library = List.copyOf(library);
  }

  /** The dtypes of its arguments. */
  public List<DataType> inputTypes() {
    return definition.getSignature().getInputArgList().stream()
        .map(arg -> DataType.ofNumber(arg.getTypeValue()))
        .toList();
  }

  /** The dtypes of its results. */
  public List<DataType> outputTypes() {
    return definition.getSignature().getOutputArgList().stream()
        .map(arg -> DataType.ofNumber(arg.getTypeValue()))
        .toList();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
