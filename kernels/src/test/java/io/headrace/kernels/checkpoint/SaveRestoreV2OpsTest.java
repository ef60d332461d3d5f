package io.headrace.kernels.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.kernels.FakeCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ops that save and restore checkpoints; their errors are stock TensorFlow's. */
final class SaveRestoreV2OpsTest {
  private static final Tensor MATRIX =
      Tensor.vector(0f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11).reshape(Shape.of(4, 3));

  @TempDir private Path folder;
  private String prefix = "";

  @BeforeEach
  void prepare() {
    prefix = folder.resolve("model").toString();
  }

  private static List<Tensor> run(String name, Map<String, AttrValue> attrs, Tensor... inputs) {
    Op op = Objects.requireNonNull(OpRegistry.standard().find(name));
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(node.outputTypes().size());
  }

  private static AttrValue types(DataType... dtypes) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    for (DataType dtype : dtypes) {
      list.addTypeValue(dtype.number());
    }
    return AttrValue.newBuilder().setList(list).build();
  }

  private static AttrValue flag(boolean value) {
    return AttrValue.newBuilder().setB(value).build();
  }

  private static void save(
      String op, String path, String[] names, String[] slices, Tensor... data) {
    List<Tensor> inputs = new ArrayList<>();
    inputs.add(Tensor.scalar(path));
    inputs.add(Tensor.vector(names));
    if (!op.equals("Save")) {
      inputs.add(Tensor.vector(slices));
    }
    inputs.addAll(List.of(data));
    DataType[] dtypes = List.of(data).stream().map(Tensor::dtype).toArray(DataType[]::new);
    Map<String, AttrValue> attrs = Map.of(op.equals("SaveV2") ? "dtypes" : "T", types(dtypes));
    run(op, attrs, inputs.toArray(Tensor[]::new));
  }

  private void saveModel() {
    String[] names = {"x", "s"};
    save("SaveV2", prefix, names, new String[] {"", ""}, MATRIX, Tensor.vector("a", "bcd"));
  }

  private static Tensor restore(String path, String name, String slice, DataType dtype) {
    Tensor[] inputs = {Tensor.scalar(path), Tensor.vector(name), Tensor.vector(slice)};
    return run("RestoreV2", Map.of("dtypes", types(dtype)), inputs).getFirst();
  }

  private void assertRestoreFails(
      StatusCode code, String message, String name, String slice, DataType dtype) {
    assertFails(code, message, () -> restore(prefix, name, slice, dtype));
  }

  private static void assertFails(StatusCode code, String message, ThrowingCallable failing) {
    assertThatThrownBy(failing)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  @Test
  void restore_ofPartsThatWereSaved_yieldsWholeAndOtherParts() {
    String[] names = {"v", "v", "h", "h"};
    String[] slices = {"4 3 0,2:-", "4 3 2,2:-", "3 0,2", "3 2,1"};
    Tensor half = Tensor.wrap(DataType.FLOAT16, Shape.of(3), new short[] {1, 2, 3});
    Tensor[] parts = {MATRIX.rows(0, 2), MATRIX.rows(2, 4), half.rows(0, 2), half.rows(2, 3)};
    save("SaveV2", prefix, names, slices, parts);

    assertThat(TensorProtos.write(restore(prefix, "v", "", DataType.FLOAT32)))
        .isEqualTo(TensorProtos.write(MATRIX));
    assertThat(restore(prefix, "v", "4 3 1,2:1,2", DataType.FLOAT32).floats())
        .containsExactly(4, 5, 7, 8);
    assertThat(restore(prefix, "h", "", DataType.FLOAT16).shorts()).containsExactly(1, 2, 3);
  }

  @Test
  void restore_ofWhatIsNotThere_isNotFound() {
    saveModel();
    assertRestoreFails(
        StatusCode.NOT_FOUND, "Key y not found in checkpoint", "y", "", DataType.FLOAT32);
    assertRestoreFails(
        StatusCode.NOT_FOUND, "Key  not found in checkpoint", "", "", DataType.FLOAT32);
    assertFails(
        StatusCode.NOT_FOUND,
        "Failed to find any matching files for " + prefix + "-none",
        () -> restore(prefix + "-none", "x", "", DataType.FLOAT32));
  }

  @Test
  void restore_asAnotherDtypeOrShape_isInvalid() {
    saveModel();
    assertRestoreFails(
        StatusCode.INVALID_ARGUMENT,
        "tensor_name = x; expected dtype int32 does not equal original dtype float",
        "x",
        "",
        DataType.INT32);
    assertRestoreFails(
        StatusCode.INVALID_ARGUMENT,
        "tensor_name = x; shape in shape_and_slice spec [6] does not match the shape stored in"
            + " checkpoint: [4,3]",
        "x",
        "6 1,2",
        DataType.FLOAT32);
    Map.of(
            "5", "Need least two elements in shape_and_slice specification: 5",
            "4 3 a,b:-", "Expected a pair of numbers or '-' but got 'a,b': string = a,b:-",
            "q 0,1", "Non numerical dimension in shape_and_slice: q 0,1",
            "4 3 0,0:-",
                "Expected non-negative start and positive length but got start = 0, length")
        .forEach((slice, message) ->
            assertRestoreFails(StatusCode.INVALID_ARGUMENT, message, "x", slice, DataType.FLOAT32));
    assertRestoreFails(
        StatusCode.INTERNAL,
        "Extent in dimension 0 out of bounds: shape = [4,3], slice = 3,2:-",
        "x",
        "4 3 3,2:-",
        DataType.FLOAT32);
  }

  @Test
  void restore_ofTooFewOrOverlappingParts_fails() {
    save("SaveV2", prefix, new String[] {"v"}, new String[] {"4 3 0,2:-"}, MATRIX.rows(0, 2));
    assertRestoreFails(
        StatusCode.INVALID_ARGUMENT,
        "Does not have sufficient slices for partitioned tensor v to restore in slice_spec: -:-",
        "v",
        "",
        DataType.FLOAT32);
    String[] names = {"v", "v"};
    String[] slices = {"4 3 0,2:-", "4 3 1,2:-"};
    save("SaveV2", prefix, names, slices, MATRIX.rows(0, 2), MATRIX.rows(1, 3));
    assertRestoreFails(
        StatusCode.INTERNAL,
        "Overlapping slices: existing slice = 0,2:-, new slice = 1,2:-",
        "v",
        "",
        DataType.FLOAT32);
  }

  @Test
  void save_ofWhatDoesNotFit_failsAndWritesNothing() throws IOException {
    String[] twice = {"x", "x"};
    String[] none = {"", ""};
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "Adding duplicate key: x",
        () -> save("SaveV2", prefix, twice, none, MATRIX, MATRIX));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "Got 2 tensor names but 1 tensors.",
        () -> save("SaveV2", prefix, twice, none, MATRIX));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "tensor_names and shape_and_slices have different number of elements: 2 vs. 1",
        () -> save("SaveV2", prefix, twice, new String[] {""}, MATRIX, MATRIX));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "does not match the shape of the tensor to  save: 5 0,2, tensor: [4,3]",
        () -> save("SaveV2", prefix, new String[] {"x"}, new String[] {"5 0,2"}, MATRIX));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "a handle of a resource cannot be saved",
        () -> save("SaveV2", prefix, new String[] {"x"}, new String[] {""}, Tensor.resource(1)));
    assertFails(
        StatusCode.NOT_FOUND,
        "No such file or directory",
        () -> save("SaveV2", prefix + "/a/b", new String[] {"x"}, new String[] {""}, MATRIX));
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void save_underAFile_isAFailedPrecondition() {
    saveModel();
    assertFails(
        StatusCode.FAILED_PRECONDITION,
        "Not a directory",
        () -> save("SaveV2", prefix + ".index/b", new String[] {"x"}, new String[] {""}, MATRIX));
  }

  private void merge(boolean allowsMissing, String... prefixes) {
    run(
        "MergeV2Checkpoints",
        Map.of("allow_missing_files", flag(allowsMissing)),
        Tensor.vector(prefixes),
        Tensor.scalar(prefix));
  }

  @Test
  void merge_ofShards_leavesOneCheckpoint() throws IOException {
    String first = folder.resolve("temp/part-0").toString();
    String second = folder.resolve("temp/part-1").toString();
    String missing = folder.resolve("temp/part-2").toString();
    String[] slice = {"4 3 0,2:-", ""};
    save("SaveV2", first, new String[] {"v", "a"}, slice, MATRIX.rows(0, 2), Tensor.scalar(1));
    save("SaveV2", second, new String[] {"v"}, new String[] {"4 3 2,2:-"}, MATRIX.rows(2, 4));

    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "allow_missing_files was set to false and " + missing + " did not exist.",
        () -> merge(false, first, missing));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "At least one prefix checkpoint file must exist, but none existed.",
        () -> merge(true, missing));
    merge(true, first, missing, second);

    assertThat(restore(prefix, "v", "", DataType.FLOAT32).floats()).isEqualTo(MATRIX.floats());
    assertThat(restore(prefix, "a", "", DataType.INT32).ints()).containsExactly(1);
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "model.index", "model.data-00000-of-00002", "model.data-00001-of-00002");
    }
  }

  @Test
  void merge_ofShardsWithTheSameTensor_failsAndKeepsThem() {
    String first = folder.resolve("temp/part-0").toString();
    String second = folder.resolve("temp/part-1").toString();
    for (String shard : List.of(first, second)) {
      save("SaveV2", shard, new String[] {"x"}, new String[] {""}, MATRIX);
    }
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "Duplicate tensor keyed by x encountered, when merging prefix: " + second,
        () -> merge(false, first, second));
    assertThat(restore(second, "x", "", DataType.FLOAT32).floats()).isEqualTo(MATRIX.floats());
  }

  @Test
  void shardedNames_areThoseOfStock() {
    Tensor name = Tensor.scalar("model");
    Tensor shards = Tensor.scalar(10);
    assertThat(run("ShardedFilename", Map.of(), name, Tensor.scalar(5), shards).getFirst())
        .satisfies(file -> assertThat(file.string(0)).asString().isEqualTo("model-00005-of-00010"));
    assertThat(run("ShardedFilespec", Map.of(), name, shards).getFirst())
        .satisfies(file -> assertThat(file.string(0)).asString().isEqualTo("model-?????-of-00010"));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "basename must be a scalar, got shape [1]",
        () -> run("ShardedFilespec", Map.of(), Tensor.vector("model"), shards));
  }

  @Test
  void sliceFile_savedAndRestored_yieldsWholeAndParts() {
    String[] names = {"v", "v", "s"};
    String[] slices = {"4 3 0,2:-", "4 3 2,2:-", ""};
    Tensor strings = Tensor.vector("a", "bc");
    save("SaveSlices", prefix, names, slices, MATRIX.rows(0, 2), MATRIX.rows(2, 4), strings);

    Map<String, AttrValue> attrs =
        Map.of("dt", AttrValue.newBuilder().setTypeValue(DataType.FLOAT32.number()).build());
    Tensor path = Tensor.scalar(prefix);
    Tensor v = Tensor.scalar("v");
    assertThat(run("Restore", attrs, path, v).getFirst().floats()).isEqualTo(MATRIX.floats());
    Tensor part = run("RestoreSlice", attrs, path, v, Tensor.scalar("4 3 1,2:1,1")).getFirst();
    assertThat(part.floats()).containsExactly(4, 7);
    assertThat(restore(prefix, "v", "4 3 2,2:-", DataType.FLOAT32).floats())
        .containsExactly(6, 7, 8, 9, 10, 11);
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "Expected to restore a tensor of type float, got a tensor of type string instead:"
            + " tensor_name = s",
        () -> run("Restore", attrs, path, Tensor.scalar("s")));
    assertFails(
        StatusCode.NOT_FOUND,
        "Tensor name \"zz\" not found in checkpoint files " + prefix,
        () -> run("Restore", attrs, path, Tensor.scalar("zz")));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "does not match the shape in the save file: [5,3], save file shape: [4,3]",
        () -> run("RestoreSlice", attrs, path, v, Tensor.scalar("5 3 1,2:1,1")));
  }

  @Test
  void sliceFile_ofDtypesThatTheFormatLacks_isUnimplemented() {
    Tensor half = Tensor.wrap(DataType.BFLOAT16, Shape.of(1), new short[1]);
    assertFails(
        StatusCode.UNIMPLEMENTED,
        "Saving data type bfloat16 not yet supported",
        () -> save("Save", prefix, new String[] {"x"}, new String[0], half));
  }

  @Test
  void writeFile_makesFoldersAndReplacesContent() throws IOException {
    Path file = folder.resolve("new/sub/file");
    run("WriteFile", Map.of(), Tensor.scalar(file.toString()), Tensor.scalar("long content"));
    run("WriteFile", Map.of(), Tensor.scalar(file.toString()), Tensor.scalar("short"));
    assertThat(file).hasContent("short");
    assertFails(
        StatusCode.FAILED_PRECONDITION,
        "Is a directory",
        () -> run("WriteFile", Map.of(), Tensor.scalar(folder.toString()), Tensor.scalar("x")));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "Contents tensor must be scalar, but had shape: [1]",
        () -> run("WriteFile", Map.of(), Tensor.scalar(file.toString()), Tensor.vector("content")));
  }
}
