package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Restore and RestoreSlice: restore one tensor from the files of a V1 checkpoint. */
final class RestoreOps {
  private RestoreOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Restore(file_pattern: string, tensor_name: string) -> tensor: dt")
            .attrs("dt: type", "preferred_shard: int = -1")
            .stateful()
            .touches(Touch.READS_FILES)
            .kernel(RestoreOps::restoring),
        Op.define(
                "RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string)"
                    + " -> tensor: dt")
            .attrs("dt: type", "preferred_shard: int = -1")
            .stateful()
            .touches(Touch.READS_FILES)
            .shape(RestoreOps::restoredShape)
            .kernel(RestoreOps::restoring));
  }

  private static List<Shape> restoredShape(ShapeFunction.Inputs in) {
    Tensor slice = in.constant(2);
    return List.of(
        slice == null || slice.elements() != 1 || slice.string(0).length == 0
            ? Shape.UNKNOWN
            : ShapeAndSlice.parse(ByteStrings.text(slice.string(0))).partShape());
  }

  private static Kernel.Sync restoring(NodeSpec node) {
    List<DataType> dtypes = List.of(node.attrs().type("dt"));
    return call -> {
      String pattern = SaveOps.single(call, 0, "file_pattern");
      String name = SaveOps.single(call, 1, "tensor_name");
      String slice = call.inputs() > 2 ? SaveOps.single(call, 2, "shape_and_slice") : "";
      restore(call, pattern, List.of(name), List.of(slice), dtypes);
    };
  }

  /**
   * Sets output i to the tensor {@code names[i]} of the files that match {@code pattern}: the slice
   * {@code slices[i]}, or the whole tensor if that is empty.
   */
  static void restore(
      KernelCall call,
      String pattern,
      List<String> names,
      List<String> slices,
      List<DataType> dtypes) {
    try (TensorSliceReader reader = TensorSliceReader.open(pattern, call.cancellation())) {
      for (int i = 0; i < names.size(); i++) {
        call.cancellation().check();
        String name = names.get(i);
        DataType stored = reader.dtype(name);
        if (stored != dtypes.get(i)) {
          throw invalidArgument(
              "Expected to restore a tensor of type %s, got a tensor of type %s instead:"
                  + " tensor_name = %s",
              dtypes.get(i).tfName(), stored.tfName(), name);
        }
        String slice = slices.get(i);
        call.setOutput(
            i, slice.isEmpty() ? reader.read(name) : reader.read(name, ShapeAndSlice.parse(slice)));
      }
    }
  }
}
