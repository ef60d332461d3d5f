package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Save and SaveSlices: save tensors to a checkpoint of the V1 format. */
final class SaveOps {
  private SaveOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Save(filename: string, tensor_names: string, data: [T])")
            .attrs("T: list(type)")
            .stateful()
            .touches(Touch.WRITES_FILES)
            .shape(_ -> List.of())
            .stateless(call -> save(call, false)),
        Op.define(
                "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string,"
                    + " data: [T])")
            .attrs("T: list(type)")
            .stateful()
            .touches(Touch.WRITES_FILES)
            .shape(_ -> List.of())
            .stateless(call -> save(call, true)));
  }

  /** The one string of input {@code input}; INVALID_ARGUMENT unless it has one element. */
  static String single(KernelCall call, int input, String name) {
    Tensor tensor = call.input(input);
    if (tensor.elements() != 1) {
      throw invalidArgument(
          "Input %d (%s) must be a string scalar; got a tensor of %d elements",
          input, name, tensor.elements());
    }
    return ByteStrings.text(tensor.string(0));
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
    TensorSliceWriter writer = new TensorSliceWriter();
    for (int i = 0; i < names.elements(); i++) {
      call.cancellation().check();
      Tensor tensor = call.input(fixed + i);
      String name = ByteStrings.text(names.string(i));
      String slice = inSlices ? ByteStrings.text(call.input(2).string(i)) : "";
      if (slice.isEmpty()) {
        writer.add(name, tensor);
      } else {
        writer.add(name, slice(slice, tensor), tensor);
      }
    }
    writer.finish(file);
  }

  /**
   * Parses the slice specification {@code text}. INVALID_ARGUMENT unless the slice has the shape of
   * {@code tensor}.
   */
  static ShapeAndSlice slice(String text, Tensor tensor) {
    ShapeAndSlice part = ShapeAndSlice.parse(text);
    if (!part.partShape().equals(tensor.shape())) {
      throw invalidArgument(
          "Slice in shape_and_slice specification does not match the shape of the tensor to  save:"
              + " %s, tensor: %s",
          text, tensor.shape());
    }
    return part;
  }
}
