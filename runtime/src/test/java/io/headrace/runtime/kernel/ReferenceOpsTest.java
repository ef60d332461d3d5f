package io.headrace.runtime.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Variables that ops reach by reference. */
final class ReferenceOpsTest {
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
}
