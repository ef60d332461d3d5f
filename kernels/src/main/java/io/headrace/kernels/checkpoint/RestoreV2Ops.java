package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** RestoreV2: restores tensors, or slices of them, from a checkpoint of either format. */
final class RestoreV2Ops {
  private RestoreV2Ops() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) ->"
                    + " tensors: [dtypes]")
            .attrs("dtypes: list(type)")
            .stateful()
            .touches(Touch.READS_FILES)
            .shape(RestoreV2Ops::restoredShapes)
            .remark(
                "Slices of every dtype, where TensorFlow refuses strings and half. A data file that"
                    + " is too short is DATA_LOSS, not OUT_OF_RANGE, which training loops take for"
                    + " the end of their input.")
            .kernel(RestoreV2Ops::restore));
  }

  private static List<Shape> restoredShapes(ShapeFunction.Inputs in) {
    Tensor slices = in.constant(2);
    List<Shape> shapes = new ArrayList<>();
    int outputs = in.attrs().types("dtypes").size();
    for (int i = 0; i < outputs; i++) {
      String text =
          slices == null || i >= slices.elements() ? "" : ByteStrings.text(slices.string(i));
      shapes.add(text.isEmpty() ? Shape.UNKNOWN : ShapeAndSlice.parse(text).partShape());
    }
    return shapes;
  }

  private static Kernel.Sync restore(NodeSpec node) {
    List<DataType> dtypes = node.attrs().types("dtypes");
    return call -> {
      if (call.input(1).elements() != dtypes.size()) {
        throw invalidArgument(
            "Got %d tensor names, but %d expected dtypes.",
            call.input(1).elements(), dtypes.size());
      }
      SaveRestoreV2Inputs inputs = SaveRestoreV2Inputs.of(call);
      if (!BundleReader.exists(inputs.prefix())) {
        RestoreOps.restore(call, inputs.prefix(), inputs.names(), inputs.shapesAndSlices(), dtypes);
        return;
      }
      try (BundleReader reader = BundleReader.open(inputs.prefix())) {
        checkDtypes(reader, inputs.names(), dtypes);
        for (int i = 0; i < dtypes.size(); i++) {
          call.cancellation().check();
          String slice = inputs.shapesAndSlices().get(i);
          String name = inputs.names().get(i);
          call.setOutput(
              i,
              slice.isEmpty() ? reader.read(name) : reader.read(name, ShapeAndSlice.parse(slice)));
        }
      }
    };
  }

  private static void checkDtypes(BundleReader reader, List<String> names, List<DataType> dtypes) {
    for (int i = 0; i < names.size(); i++) {
      DataType stored = reader.dtype(names.get(i));
      if (stored != dtypes.get(i)) {
        throw invalidArgument(
            "tensor_name = %s; expected dtype %s does not equal original dtype %s",
            names.get(i), dtypes.get(i).tfName(), stored.tfName());
      }
    }
  }
}
