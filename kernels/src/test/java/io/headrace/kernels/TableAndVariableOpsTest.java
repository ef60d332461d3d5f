package io.headrace.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ops on tables, variables and generators: errors, and many rows at once. */
final class TableAndVariableOpsTest {
  private static final StepContext STEP = StepContext.standalone();

  private static Kernel.Sync kernel(String name, Map<String, AttrValue> attrs) {
    Op op = Objects.requireNonNull(OpRegistry.standard().find(name));
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    return (Kernel.Sync) CpuKernels.create(node);
  }

  private static List<Tensor> run(String op, Map<String, AttrValue> attrs, Tensor... inputs) {
    Kernel.Sync kernel = kernel(op, attrs);
    FakeCall call = FakeCall.of(List.of(inputs), STEP);
    kernel.compute(call);
    return call.outputs(Objects.requireNonNull(OpRegistry.standard().find(op)).outputs().size());
  }

  private static AttrValue type(DataType dtype) {
    return AttrValue.newBuilder().setTypeValue(dtype.number()).build();
  }

  private static AttrValue number(long value) {
    return AttrValue.newBuilder().setI(value).build();
  }

  private static AttrValue text(String value) {
    return AttrValue.newBuilder().setS(ByteString.copyFromUtf8(value)).build();
  }

  private static Map<String, AttrValue> types(String key, DataType k, String value, DataType v) {
    return Map.of(key, type(k), value, type(v));
  }

  private static Tensor table(String op) {
    return run(op, types("key_dtype", DataType.STRING, "value_dtype", DataType.INT64)).getFirst();
  }

  private static void fill(String op, Tensor table, Tensor keys, Tensor values) {
    String key = op.startsWith("Init") ? "Tkey" : "Tin";
    String value = op.startsWith("Init") ? "Tval" : "Tout";
    run(op, types(key, keys.dtype(), value, values.dtype()), table, keys, values);
  }

  private static Kernel.Sync find() {
    return kernel("LookupTableFindV2", types("Tin", DataType.STRING, "Tout", DataType.INT64));
  }

  private static Tensor found(Tensor table, Tensor keys, Tensor defaults) {
    return run(
            "LookupTableFindV2",
            types("Tin", keys.dtype(), "Tout", defaults.dtype()),
            table,
            keys,
            defaults)
        .getFirst();
  }

  private static AbstractThrowableAssert<?, ?> assertFails(
      StatusCode code, ThrowingCallable failing) {
    return assertThatThrownBy(failing)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  @Test
  void find_manyRows_findsForAllAtOnce() {
    Tensor table = table("HashTableV2");
    fill("LookupTableImportV2", table, Tensor.vector("a", "b"), Tensor.vector(1L, 2L));
    Tensor keys = Tensor.vector("b", "q", "a", "a", "r", "b").reshape(Shape.of(3, 2));
    FakeCall call = FakeCall.ofRows(3, List.of(table, keys, Tensor.scalar(-1L)), Set.of(1), STEP);

    assertThat(find().computeRows(call)).isTrue();

    assertThat(call.outputs(1).getFirst().shape()).isEqualTo(Shape.of(3, 2));
    assertThat(call.outputs(1).getFirst().longs()).containsExactly(2, -1, 1, 1, -1, 2);
  }

  @Test
  void find_defaultForEachKey_isTheKeysInAMutableTableAndTheFirstInAnother() {
    Tensor keys = Tensor.vector("q", "r");
    Tensor defaults = Tensor.vector(-1L, -2L);
    Tensor fixed = table("HashTableV2");
    fill("InitializeTableV2", fixed, Tensor.vector("a"), Tensor.vector(1L));

    assertThat(found(table("MutableHashTableV2"), keys, defaults).longs()).containsExactly(-1, -2);
    assertThat(found(fixed, keys, defaults).longs()).containsExactly(-1, -1);
    assertFails(StatusCode.INVALID_ARGUMENT, () -> found(fixed, keys, Tensor.vector(1L, 2L, 3L)))
        .hasMessageContaining("Expected shape [] or [2] for default value, got [3]");
  }

  @Test
  void find_inATableThatWasNotFilled_fails() {
    Tensor keys = Tensor.vector("q");
    Tensor table = table("HashTableV2");
    assertFails(StatusCode.FAILED_PRECONDITION, () -> found(table, keys, Tensor.scalar(1L)))
        .hasMessageContaining("Table not initialized");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> found(table, keys, Tensor.scalar(1)))
        .hasMessageContaining("Signature mismatch");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> found(Tensor.resource("no table"), keys, Tensor.scalar(1L)))
        .hasMessageContaining("must be that of one table");
  }

  @Test
  void fill_aTableTwice_fails() {
    Tensor table = table("HashTableV2");
    fill("InitializeTableV2", table, Tensor.vector("a", "a"), Tensor.vector(1L, 1L));
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> fill("LookupTableImportV2", table, Tensor.vector("b"), Tensor.vector(1L)))
        .hasMessageContaining("already initialized");
    assertFails(
            StatusCode.UNIMPLEMENTED,
            () -> fill("LookupTableInsertV2", table, Tensor.vector("b"), Tensor.vector(1L)))
        .hasMessageContaining("Insert is not supported");
  }

  @Test
  void fill_aKeyWithTwoValues_failsAndLeavesTheTableEmpty() {
    Tensor table = table("HashTableV2");
    assertFails(
            StatusCode.FAILED_PRECONDITION,
            () -> fill("InitializeTableV2", table, Tensor.vector("a", "a"), Tensor.vector(1L, 2L)))
        .hasMessageContaining("different value for same key");
    assertThat(run("LookupTableSizeV2", Map.of(), table).getFirst().integer(0)).isZero();
  }

  @Test
  void fill_withUnequalSizesOrOtherDtypes_fails() {
    Tensor table = table("MutableHashTableV2");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> fill("LookupTableInsertV2", table, Tensor.vector("a"), Tensor.vector(1L, 2L)))
        .hasMessageContaining("Expected shape [1] for value, got [2]");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> fill("LookupTableInsertV2", table, Tensor.vector(1), Tensor.vector(1L)))
        .hasMessageContaining("Signature mismatch");
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> fill("InitializeTableV2", table, Tensor.vector("a"), Tensor.vector(1L)))
        .hasMessageContaining("not initializable");
  }

  @Test
  void tableOfTensors_givesAValueForEachKey() {
    AttrValue shape = AttrValue.newBuilder().setShape(TensorProtos.shape(Shape.of(2))).build();
    Tensor table =
        run(
                "MutableHashTableOfTensorsV2",
                Map.of(
                    "key_dtype", type(DataType.INT64),
                    "value_dtype", type(DataType.FLOAT32),
                    "value_shape", shape))
            .getFirst();
    fill(
        "LookupTableInsertV2",
        table,
        Tensor.vector(7L, 8L),
        Tensor.vector(1f, 2f, 3f, 4f).reshape(Shape.of(2, 2)));

    Tensor values = found(table, Tensor.vector(8L, 9L), Tensor.vector(-1f, -2f));

    assertThat(values.shape()).isEqualTo(Shape.of(2, 2));
    assertThat(values.floats()).containsExactly(3, 4, -1, -2);
    List<Tensor> exported =
        run(
            "LookupTableExportV2",
            types("Tkeys", DataType.INT64, "Tvalues", DataType.FLOAT32),
            table);
    assertThat(exported.get(0).longs()).containsExactly(7, 8);
    assertThat(exported.get(1).floats()).containsExactly(1, 2, 3, 4);
  }

  @Test
  void handle_ofASharedName_isTheSameTableForTheSameDtypes() {
    Map<String, AttrValue> attrs =
        Map.of(
            "shared_name", text("t"),
            "key_dtype", type(DataType.STRING),
            "value_dtype", type(DataType.INT64));
    Tensor one = run("HashTableV2", attrs).getFirst();
    assertThat(run("HashTableV2", attrs).getFirst().reference(0)).isSameAs(one.reference(0));
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () ->
                run(
                    "HashTableV2",
                    Map.of(
                        "shared_name", text("t"),
                        "key_dtype", type(DataType.INT32),
                        "value_dtype", type(DataType.INT64))))
        .hasMessageContaining("Conflicting key/value dtypes");
  }

  private static void fillFrom(Path file, long keyIndex, long valueIndex, long size) {
    run(
        "InitializeTableFromTextFileV2",
        Map.of(
            "key_index", number(keyIndex),
            "value_index", number(valueIndex),
            "vocab_size", number(size)),
        table("HashTableV2"),
        Tensor.scalar(file.toString()));
  }

  @Test
  void fill_fromABadFile_namesFileAndLine(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("words"), "a\t1\nb\n\n");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> fillFrom(file, -2, -1, -1))
        .hasMessageContaining("Invalid content in " + file + ": line 2 is empty");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> fillFrom(file, 0, 1, 2))
        .hasMessageContaining("Invalid number of columns in " + file + " line 1 (b)");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> fillFrom(file, 1, 0, 1))
        .hasMessageContaining("Field a in line 0 of " + file + " is not a valid int64");
    assertFails(StatusCode.NOT_FOUND, () -> fillFrom(folder.resolve("none"), 0, 1, -1))
        .hasMessageContaining(folder.resolve("none").toString());
    assertFails(StatusCode.FAILED_PRECONDITION, () -> fillFrom(folder, 0, 1, -1))
        .hasMessageContaining(folder.toString());
    Path twice = Files.writeString(folder.resolve("twice"), "a\nb\na\n");
    assertFails(StatusCode.FAILED_PRECONDITION, () -> fillFrom(twice, -2, -1, -1))
        .hasMessageContaining(twice.toString());
    assertFails(StatusCode.INVALID_ARGUMENT, () -> fillFrom(twice, -2, -1, 5))
        .hasMessageContaining("Invalid vocab_size in " + twice + ": expected 5 but got 3");
  }

  private static Tensor variable(DataType dtype) {
    AttrValue shape = AttrValue.newBuilder().setShape(TensorProtos.shape(Shape.UNKNOWN)).build();
    return run(
            "VarHandleOp",
            Map.of(
                "dtype", type(dtype),
                "shape", shape,
                "shared_name", text("cd2c89b7-88b7-44c8-ad83-06c2a9158347")))
        .getFirst();
  }

  private static void assign(String op, Tensor variable, Tensor value) {
    run(op, Map.of("dtype", type(value.dtype())), variable, value);
  }

  private static Tensor read(Tensor variable, DataType dtype) {
    return run("ReadVariableOp", Map.of("dtype", type(dtype)), variable).getFirst();
  }

  @Test
  void variable_withoutAValue_cannotBeReadOrChanged() {
    Tensor variable = variable(DataType.FLOAT32);
    assertThat(run("VarIsInitializedOp", Map.of(), variable).getFirst().bool(0)).isFalse();
    assertFails(StatusCode.FAILED_PRECONDITION, () -> read(variable, DataType.FLOAT32))
        .hasMessageContaining("Could not find variable node");
    assertFails(
        StatusCode.NOT_FOUND, () -> assign("AssignAddVariableOp", variable, Tensor.vector(1f)));
  }

  @Test
  void variable_ofAnotherDtypeOrShape_isRefused() {
    Tensor variable = variable(DataType.FLOAT32);
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> assign("AssignVariableOp", variable, Tensor.vector(1)))
        .hasMessageContaining("Expected float got int32");
    assign("AssignVariableOp", variable, Tensor.vector(1f, 2f));
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> assign("AssignAddVariableOp", variable, Tensor.scalar(1f)))
        .hasMessageContaining("Cannot update variable with shape [2] using a Tensor with shape []");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> read(variable, DataType.INT32))
        .hasMessageContaining("Expected int32 got float");
    assign("AssignVariableOp", variable, Tensor.vector(1f, 2f, 3f));
    assertThat(read(variable, DataType.FLOAT32).shape()).isEqualTo(Shape.of(3));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        () ->
            run(
                "AssignVariableOp",
                Map.of(
                    "dtype", type(DataType.FLOAT32),
                    "validate_shape", AttrValue.newBuilder().setB(true).build()),
                variable,
                Tensor.vector(1f)));
    assertFails(
        StatusCode.UNIMPLEMENTED,
        () -> assign("AssignAddVariableOp", variable(DataType.STRING), Tensor.vector("a")));
  }

  @Test
  void read_beforeAChange_keepsItsValue() {
    Tensor variable = variable(DataType.INT64);
    long[] array = {1, 2, 3};
    assign("AssignVariableOp", variable, Tensor.vector(array));
    Tensor before = read(variable, DataType.INT64);
    assign("AssignSubVariableOp", variable, Tensor.vector(1L, 1L, 1L));
    assertThat(before.longs()).containsExactly(1, 2, 3);
    assertThat(read(variable, DataType.INT64).longs()).containsExactly(0, 1, 2);
  }

  @Test
  void gather_manyRows_gathersForAllAtOnce() {
    Tensor variable = variable(DataType.INT64);
    assign("AssignVariableOp", variable, Tensor.vector(10L, 11L, 12L));
    Kernel.Sync gather =
        kernel("ResourceGather", types("dtype", DataType.INT64, "Tindices", DataType.INT32));
    FakeCall call = FakeCall.ofRows(3, List.of(variable, Tensor.vector(2, 0, 1)), Set.of(1), STEP);
    assertThat(gather.computeRows(call)).isTrue();
    assertThat(call.outputs(1).getFirst().longs()).containsExactly(12, 10, 11);
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> gather.compute(FakeCall.of(List.of(variable, Tensor.vector(3)), STEP)))
        .hasMessageContaining("is not in [0, 3)");
  }

  @Test
  void generator_ofAnotherAlgorithmOrState_isRefused() {
    Tensor state = variable(DataType.INT64);
    assign("AssignVariableOp", state, Tensor.vector(-1L, 5L, 3L));
    Tensor delta = Tensor.wrap(DataType.UINT64, Shape.SCALAR, new long[] {Long.MIN_VALUE + 5});
    assertThat(run("RngReadAndSkip", Map.of(), state, Tensor.scalar(3), delta).getFirst().longs())
        .containsExactly(-1, 5, 3);
    assertThat(read(state, DataType.INT64).longs()).containsExactly(1279, 6, 3);
    assertFails(
        StatusCode.UNIMPLEMENTED,
        () -> run("RngReadAndSkip", Map.of(), state, Tensor.scalar(2), delta));
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> run("RngReadAndSkip", Map.of(), state, Tensor.scalar(7), delta))
        .hasMessageContaining("Unsupported algorithm id: 7");
    assign("AssignVariableOp", state, Tensor.vector(1L, 2L));
    assertFails(
            StatusCode.INVALID_ARGUMENT,
            () -> run("RngReadAndSkip", Map.of(), state, Tensor.scalar(1), delta))
        .hasMessageContaining("must be at least 3; got 2");
  }
}
