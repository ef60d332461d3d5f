package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.file.LocalFiles;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Ops that save tensors to checkpoints of the V2 format and restore them, also those of V1. */
final class SaveRestoreV2Ops {
  /** What SaveV2 and RestoreV2 take before the tensors: prefix, names, shapes and slices. */
  private static final int FIXED_INPUTS = 3;

  private SaveRestoreV2Ops() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors:"
                    + " [dtypes])")
            .attrs("dtypes: list(type)")
            .stateful()
            .shape(_ -> List.of())
            .stateless(SaveRestoreV2Ops::save),
        Op.define(
                "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) ->"
                    + " tensors: [dtypes]")
            .attrs("dtypes: list(type)")
            .stateful()
            .shape(SaveRestoreV2Ops::restoredShapes)
            .remark(
                "Slices of every dtype, where TensorFlow refuses strings and half. A data file that"
                    + " is too short is DATA_LOSS, not OUT_OF_RANGE, which training loops take for"
                    + " the end of their input.")
            .kernel(SaveRestoreV2Ops::restore),
        Op.define("MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string)")
            .attrs("delete_old_dirs: bool = true", "allow_missing_files: bool = false")
            .stateful()
            .shape(_ -> List.of())
            .kernel(SaveRestoreV2Ops::merge),
        Op.define(
                "ShardedFilename(basename: string, shard: int32, num_shards: int32) -> filename:"
                    + " string")
            .shape(ShapeRules.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    Tensor.scalar(
                        CheckpointFiles.sharded(
                            text(call, 0, "basename"),
                            number(call, 1, "shard"),
                            number(call, 2, "num_shards"))))),
        Op.define("ShardedFilespec(basename: string, num_shards: int32) -> filename: string")
            .shape(ShapeRules.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    Tensor.scalar(
                        CheckpointFiles.shardedPattern(
                            text(call, 0, "basename"), number(call, 1, "num_shards"))))));
  }

  private static void checkScalar(Tensor tensor, String name) {
    if (tensor.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar, got shape %s", name, tensor.shape());
    }
  }

  private static String text(KernelCall call, int input, String name) {
    checkScalar(call.input(input), name);
    return Strings.text(call.input(input).string(0));
  }

  private static int number(KernelCall call, int input, String name) {
    checkScalar(call.input(input), name);
    return (int) call.input(input).integer(0);
  }

  /** The names, and what is to be known of their shapes, in the order of the tensors. */
  private record Request(String prefix, List<String> names, List<String> shapesAndSlices) {
    static Request of(KernelCall call) {
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
      return new Request(Strings.text(prefix.string(0)), texts(names), texts(slices));
    }

    private static List<String> texts(Tensor strings) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < strings.elements(); i++) {
        texts.add(Strings.text(strings.string(i)));
      }
      return texts;
    }
  }

  private static void save(KernelCall call) {
    Request request = Request.of(call);
    int tensors = call.inputs() - FIXED_INPUTS;
    if (request.names.size() != tensors) {
      throw invalidArgument("Got %d tensor names but %d tensors.", request.names.size(), tensors);
    }
    try (BundleWriter writer = BundleWriter.open(request.prefix)) {
      for (int i = 0; i < tensors; i++) {
        call.cancellation().check();
        Tensor tensor = call.input(FIXED_INPUTS + i);
        String slice = request.shapesAndSlices.get(i);
        if (slice.isEmpty()) {
          writer.add(request.names.get(i), tensor);
        } else {
          writer.addSlice(request.names.get(i), part(slice, tensor), tensor);
        }
      }
      writer.finish();
    }
  }

  /**
   * The part that {@code text} writes; INVALID_ARGUMENT if it has not the shape of {@code tensor}.
   */
  static ShapeAndSlice part(String text, Tensor tensor) {
    ShapeAndSlice part = ShapeAndSlice.parse(text);
    if (!part.partShape().equals(tensor.shape())) {
      throw invalidArgument(
          "Slice in shape_and_slice specification does not match the shape of the tensor to  save:"
              + " %s, tensor: %s",
          text, tensor.shape());
    }
    return part;
  }

  private static List<Shape> restoredShapes(ShapeRule.Inputs in) {
    Tensor slices = in.constant(2);
    List<Shape> shapes = new ArrayList<>();
    int outputs = in.attrs().types("dtypes").size();
    for (int i = 0; i < outputs; i++) {
      String text = slices == null || i >= slices.elements() ? "" : Strings.text(slices.string(i));
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
      Request request = Request.of(call);
      if (!BundleReader.exists(request.prefix)) {
        SaveRestoreOps.restore(
            call, request.prefix, request.names, request.shapesAndSlices, dtypes);
        return;
      }
      try (BundleReader reader = BundleReader.open(request.prefix)) {
        checkDtypes(reader, request.names, dtypes);
        for (int i = 0; i < dtypes.size(); i++) {
          call.cancellation().check();
          String slice = request.shapesAndSlices.get(i);
          String name = request.names.get(i);
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

  private static Kernel.Sync merge(NodeSpec node) {
    boolean deletesFolders = node.attrs().bool("delete_old_dirs");
    boolean allowsMissing = node.attrs().bool("allow_missing_files");
    return call -> {
      Tensor inputs = call.input(0);
      Tensor destination = call.input(1);
      if (inputs.shape().rank() != 1) {
        throw invalidArgument(
            "Input checkpoint_prefixes should be an 1-D tensor, got %s instead.", inputs.shape());
      }
      if (destination.shape().rank() != 0) {
        throw invalidArgument(
            "Input destination_prefix should be a scalar tensor, got %s instead.",
            destination.shape());
      }
      List<String> prefixes = Request.texts(inputs);
      String merged = Strings.text(destination.string(0));
      BundleMerge.merge(prefixes, merged, allowsMissing);
      if (deletesFolders) {
        deleteFolders(prefixes, LocalFiles.folderOf(merged));
      }
    };
  }

  /** Deletes the folders of {@code prefixes} that have nothing left in them. */
  private static void deleteFolders(List<String> prefixes, String kept) {
    for (String prefix : prefixes) {
      String folder = LocalFiles.folderOf(prefix);
      if (!folder.equals(kept)) {
        LocalFiles.delete(folder);
      }
    }
  }
}
