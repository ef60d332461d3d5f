package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The inputs that SaveV2 and RestoreV2 have in common, checked. The lists are parallel.
 *
 * @param prefix the path prefix of the checkpoint
 * @param names the names of the tensors
 * @param shapesAndSlices a {@link ShapeAndSlice} per tensor, or empty for a whole tensor
 */
record SaveRestoreV2Inputs(String prefix, List<String> names, List<String> shapesAndSlices) {
  static SaveRestoreV2Inputs of(KernelCall call) {
    Tensor prefix = call.input(0);
    Tensor names = call.input(1);
    Tensor slices = call.input(2);
    if (prefix.elements() != 1) {
      throw invalidArgument(
          "Input prefix should have a single element, got %d instead.", prefix.elements());
    }
    if (names.shape().rank() != 1 || slices.shape().rank() != 1) {
      throw invalidArgument(
          "Input tensor_names and shape_and_slices should be an 1-D tensors, got %s and %s"
              + " instead.",
          names.shape(), slices.shape());
    }
    if (names.elements() != slices.elements()) {
      throw invalidArgument(
          "tensor_names and shape_and_slices have different number of elements: %d vs. %d",
          names.elements(), slices.elements());
    }
    return new SaveRestoreV2Inputs(ByteStrings.text(prefix.string(0)), texts(names), texts(slices));
  }

  static List<String> texts(Tensor strings) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < strings.elements(); i++) {
      texts.add(ByteStrings.text(strings.string(i)));
    }
    return texts;
  }
}
