package io.headrace.kernels.variant;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * CompressElement and UncompressElement. A distributed dataset ends with a map that compresses its
 * elements.
 */
final class CompressionOps {
  private CompressionOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("CompressElement(components: [input_types]) -> compressed: variant")
            .attrs("input_types: list(type)")
            .shape(ShapeFunctions.SCALAR)
            .stateless(CompressionOps::compress),
        Op.define("UncompressElement(compressed: variant) -> components: [output_types]")
            .attrs("output_types: list(type)", "output_shapes: list(shape)")
            .shape(inputs -> inputs.attrs().shapes("output_shapes"))
            .kernel(node -> call -> uncompress(node, call)));
  }

  private static void compress(KernelCall call) {
    List<Tensor> components = new ArrayList<>(call.inputs());
    for (int i = 0; i < call.inputs(); i++) {
      components.add(call.input(i));
    }
    call.setOutput(
        0, Tensor.variant(new CompressedVariant(CompressedElements.compress(components))));
  }

  private static void uncompress(NodeSpec node, KernelCall call) {
    Tensor input = call.input(0);
    if (input.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "UncompressElement requires its input to be a scalar, but encountered an input with %d"
              + " dimensions.",
          input.shape().rank());
    }
    List<Tensor> components =
        CompressedElements.uncompress(CompressedVariant.of(input.reference(0)).element());
    List<DataType> expected = node.outputTypes();
    if (components.size() != expected.size()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Expected %d outputs from uncompress, but got %d",
          expected.size(),
          components.size());
    }
    for (int i = 0; i < components.size(); i++) {
      checkType(expected.get(i), components.get(i).dtype());
      call.setOutput(i, components.get(i));
    }
  }

  private static void checkType(DataType expected, DataType actual) {
    if (expected != actual) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Expected a tensor of type %s but got a tensor of type %s",
          expected.tfName(),
          actual.tfName());
    }
  }
}
