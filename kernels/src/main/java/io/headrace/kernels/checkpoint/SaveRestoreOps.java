package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Ops that save tensors to checkpoints of the V1 format and restore them. */
final class SaveRestoreOps {
  private SaveRestoreOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Save(filename: string, tensor_names: string, data: [T])")
            .attrs("T: list(type)")
            .stateful()
            .shape(_ -> List.of())
            .stateless(call -> save(call, false)),
        Op.define(
                "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string,"
                    + " data: [T])")
            .attrs("T: list(type)")
            .stateful()
            .shape(_ -> List.of())
            .stateless(call -> save(call, true)),
        Op.define("Restore(file_pattern: string, tensor_name: string) -> tensor: dt")
            .attrs("dt: type", "preferred_shard: int = -1")
            .stateful()
            .kernel(SaveRestoreOps::restoring),
        Op.define(
                "RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string)"
                    + " -> tensor: dt")
            .attrs("dt: type", "preferred_shard: int = -1")
            .stateful()
            .shape(SaveRestoreOps::restoredShape)
            .kernel(SaveRestoreOps::restoring));
  }

  private static String single(KernelCall call, int input, String name) {
    Tensor tensor = call.input(input);
    if (tensor.elements() != 1) {
      throw invalidArgument(
          "Input %d (%s) must be a string scalar; got a tensor of %d elements",
          input, name, tensor.elements());
    }
    return Strings.text(tensor.string(0));
  }

  private static void save(KernelCall call, boolean inSlices) {
    String file = single(call, 0, "filename");
    Tensor names = call.input(1);
    int fixed = inSlices ? 3 : 2;
    if (inSlices && call.input(2).elements() != names.elements()) {
      throw invalidArgument(
          "Expected %d elements for the tensor shapes and slices but got %d",
          names.elements(), call.input(2).elements());
    }
    if (call.inputs() != names.elements() + fixed) {
      throw invalidArgument(
          "Expected totally %d inputs as input #1 (which is a string tensor of saved names)"
              + " contains %d names, but received %d inputs",
          names.elements() + fixed, names.elements(), call.inputs());
    }
    SliceFileWriter writer = new SliceFileWriter();
    for (int i = 0; i < names.elements(); i++) {
      call.cancellation().check();
      Tensor tensor = call.input(fixed + i);
      String name = Strings.text(names.string(i));
      String slice = inSlices ? Strings.text(call.input(2).string(i)) : "";
      if (slice.isEmpty()) {
        writer.add(name, tensor);
      } else {
        writer.add(name, SaveRestoreV2Ops.part(slice, tensor), tensor);
      }
    }
    writer.finish(file);
  }

  private static List<Shape> restoredShape(ShapeRule.Inputs in) {
    Tensor slice = in.constant(2);
    return List.of(
        slice == null || slice.elements() != 1 || slice.string(0).length == 0
            ? Shape.UNKNOWN
            : ShapeAndSlice.parse(Strings.text(slice.string(0))).partShape());
  }

  private static Kernel.Sync restoring(NodeSpec node) {
    List<DataType> dtypes = List.of(node.attrs().type("dt"));
    return call -> {
      String pattern = single(call, 0, "file_pattern");
      String name = single(call, 1, "tensor_name");
      String slice = call.inputs() > 2 ? single(call, 2, "shape_and_slice") : "";
      restore(call, pattern, List.of(name), List.of(slice), dtypes);
    };
  }

  /**
   * Sets the outputs to what the files that match {@code pattern} have: for each name, the part
   * that its slice says, or all where that is empty.
   */
  static void restore(
      KernelCall call,
      String pattern,
      List<String> names,
      List<String> slices,
      List<DataType> dtypes) {
    try (SliceFileReader reader = SliceFileReader.open(pattern)) {
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
