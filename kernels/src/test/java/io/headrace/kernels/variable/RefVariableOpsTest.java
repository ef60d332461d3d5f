package io.headrace.kernels.variable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Variables by reference. */
final class RefVariableOpsTest {
  private static final String GRAPH =
      """
      node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
          float_val: 2 } } } }
      node { name: "three" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } }
          float_val: 3 } } } }
      node { name: "assign" op: "Assign" input: "v" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "wrong" op: "Assign" input: "v" input: "three"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "loose" op: "Assign" input: "v" input: "three"
        attr { key: "T" value { type: DT_FLOAT } }
        attr { key: "validate_shape" value { b: false } } }
      node { name: "add" op: "AssignAdd" input: "v" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "known" op: "IsVariableInitialized" input: "v"
        attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "sum" op: "AddV2" input: "v" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "w" op: "VariableV2"
        attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "w_init" op: "Assign" input: "w" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
      node { name: "two_of_two" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 } } } }
      node { name: "chosen" op: "RefSelect" input: "one" input: "v" input: "w"
        attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
      node { name: "add_chosen" op: "AssignAdd" input: "chosen" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "beyond" op: "RefSelect" input: "two_of_two" input: "v" input: "w"
        attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
      node { name: "count" op: "VarHandleOp"
        attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "shape" value { shape { } } }
        attr { key: "shared_name" value { s: "count" } } }
      node { name: "count_init" op: "AssignVariableOp" input: "count" input: "one"
        attr { key: "dtype" value { type: DT_INT32 } } }
      node { name: "one_done" op: "Identity" input: "one" input: "^count_init"
        attr { key: "T" value { type: DT_INT32 } } }
      node { name: "up_to_3" op: "ResourceCountUpTo" input: "count"
        attr { key: "T" value { type: DT_INT32 } } attr { key: "limit" value { i: 3 } } }
      node { name: "bad" op: "AssignAdd" input: "two" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      """;

  private final StepContext step = StepContext.standalone();

  private Tensor run(String result) {
    try {
      GraphDef graph = TextFormat.parse(GRAPH, GraphDef.class);
      return GraphRunner.run(graph, List.of(result), OpRegistry.standard(), step).getFirst();
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void variable_thatWasAssigned_keepsItsValueFromRunToRun() {
    assertThat(run("known").bool(0)).isFalse();
    assertThat(run("assign").floats()).containsExactly(2, 2);
    assertThat(run("add").floats()).containsExactly(4, 4);
    assertThat(run("sum").floats()).containsExactly(6, 6);
    assertThat(run("known").bool(0)).isTrue();
  }

  @Test
  void variable_withoutAValue_cannotBeReadOrAddedTo() {
    for (String result : List.of("v", "sum", "add")) {
      assertThatThrownBy(() -> run(result))
          .isInstanceOf(StatusException.class)
          .hasMessageContaining("Attempting to use uninitialized value v");
    }
  }

  @Test
  void assign_ofAnotherShape_isRefusedUnlessTheNodeAdmitsIt() {
    assertThatThrownBy(() -> run("wrong"))
        .hasMessageContaining("shapes of both tensors to match. lhs shape= [2] rhs shape= [3]");
    assertThat(run("loose").floats()).containsExactly(3, 3, 3);
  }

  @Test
  void reference_isAskedForWhereThereIsAValue_isRefused() {
    assertThatThrownBy(() -> run("bad")).hasMessageContaining("expected float_ref");
  }

  @Test
  void refSelect_givesTheReferenceThatItsIndexSays() {
    run("assign");
    run("w_init");

    assertThat(run("add_chosen").floats()).containsExactly(4, 4);
    assertThat(run("v").floats()).containsExactly(2, 2);
    assertThat(run("w").floats()).containsExactly(4, 4);
    assertThatThrownBy(() -> run("beyond"))
        .hasMessageContaining("Index must be in the range [0, 2) but got 2");
  }

  @Test
  void resourceCountUpTo_givesWhatWasHeld_untilItIsTheLimit() {
    run("one_done");

    assertThat(run("up_to_3").integer(0)).isEqualTo(1);
    assertThat(run("up_to_3").integer(0)).isEqualTo(2);
    assertThatThrownBy(() -> run("up_to_3"))
        .hasMessageContaining("Reached limit of 3")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.OUT_OF_RANGE);
  }
}
