package io.headrace.runtime.device;

import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.OpDef;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.stream.IntStream;
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

  /**
   * Its definition with the arguments that have rows before the others, the order in which maps
   * over rows pass them.
   *
   * @param isRows whether each argument has a row for each call
   */
  public FunctionDef withRowsFirst(List<Boolean> isRows) {
    OpDef signature = definition.getSignature();
    OpDef.Builder sorted = signature.toBuilder().clearInputArg();
    for (boolean has : new boolean[] {true, false}) {
      IntStream.range(0, isRows.size())
          .filter(i -> isRows.get(i) == has)
          .forEach(i -> sorted.addInputArg(signature.getInputArg(i)));
    }
    return definition.toBuilder().setSignature(sorted).build();
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
