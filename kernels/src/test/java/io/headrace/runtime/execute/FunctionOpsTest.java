package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ops that run functions: For and SymbolicGradient. */
final class FunctionOpsTest {
  private static final String FLOAT = " attr { key: \"T\" value { type: DT_FLOAT } } ";

  /** f(x, y, n) = (sin(x) * y, n); the product is a call of another function. */
  private static final String LIBRARY =
      """
      library {
        function {
          signature { name: "f" input_arg { name: "x" type: DT_FLOAT }
            input_arg { name: "y" type: DT_FLOAT } input_arg { name: "n" type: DT_INT32 }
            output_arg { name: "a" type: DT_FLOAT } output_arg { name: "m" type: DT_INT32 } }
          node_def { name: "sin" op: "Sin" input: "x" #T }
          node_def { name: "product" op: "PartitionedCall" input: "sin:y:0" input: "y"
            attr { key: "Tin" value { list { type: DT_FLOAT type: DT_FLOAT } } }
            attr { key: "Tout" value { list { type: DT_FLOAT } } }
            attr { key: "f" value { func { name: "times" } } } }
          ret { key: "a" value: "product:output:0" } ret { key: "m" value: "n" }
        }
        function {
          signature { name: "times" input_arg { name: "x" type: DT_FLOAT }
            input_arg { name: "y" type: DT_FLOAT } output_arg { name: "z" type: DT_FLOAT } }
          node_def { name: "mul" op: "Mul" input: "x" input: "y" #T }
          ret { key: "z" value: "mul:z:0" }
        }
        function {
          signature { name: "times_gradient" input_arg { name: "x" type: DT_FLOAT }
            input_arg { name: "y" type: DT_FLOAT } input_arg { name: "dz" type: DT_FLOAT }
            output_arg { name: "dx" type: DT_FLOAT } output_arg { name: "dy" type: DT_FLOAT } }
          ret { key: "dx" value: "dz" } ret { key: "dy" value: "x" }
        }
        function {
          signature { name: "rough" input_arg { name: "x" type: DT_FLOAT }
            input_arg { name: "y" type: DT_FLOAT } output_arg { name: "z" type: DT_FLOAT } }
          node_def { name: "inverse" op: "MatrixInverse" input: "x" #T }
          ret { key: "z" value: "inverse:output:0" }
        }
        function {
          signature { name: "add_index" input_arg { name: "i" type: DT_INT32 }
            input_arg { name: "x" type: DT_INT32 } output_arg { name: "z" type: DT_INT32 } }
          node_def { name: "add" op: "AddV2" input: "i" input: "x"
            attr { key: "T" value { type: DT_INT32 } } }
          ret { key: "z" value: "add:z:0" }
        }
        #GRADIENTS
      }
      """;

  private static String constant(String name, String type, String value) {
    return "node { name: \"%s\" op: \"Const\" attr { key: \"dtype\" value { type: %s } }"
            .formatted(name, type)
        + " attr { key: \"value\" value { tensor { dtype: %s tensor_shape { } %s } } } }\n"
            .formatted(type, value);
  }

  private static String gradient(String function, String in, String out, String inputs) {
    return "node { name: \"g\" op: \"SymbolicGradient\" "
        + inputs
        + " attr { key: \"Tin\" value { list { %s } } } attr { key: \"Tout\" value { list { %s } } }"
            .formatted(in, out)
        + " attr { key: \"f\" value { func { name: \"%s\" } } } }\n".formatted(function);
  }

  private static List<Tensor> run(String nodes, String gradients, String... results) {
    String constants =
        constant("x", "DT_FLOAT", "float_val: 0.5")
            + constant("y", "DT_FLOAT", "float_val: 3")
            + constant("d", "DT_FLOAT", "float_val: 2")
            + constant("n", "DT_INT32", "int_val: 4")
            + constant("k", "DT_INT32", "int_val: -1")
            + constant("none", "DT_INT32", "int_val: 0");
    String library = LIBRARY.replace("#T", FLOAT).replace("#GRADIENTS", gradients);
    try {
      return GraphRunner.run(
          TextFormat.parse(constants + nodes + library, GraphDef.class),
          List.of(results),
          OpRegistry.standard(),
          StepContext.standalone());
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void symbolicGradient_goesBackThroughWhatTheFunctionCalls() {
    String node =
        gradient(
            "f",
            "type: DT_FLOAT type: DT_FLOAT type: DT_INT32 type: DT_FLOAT type: DT_INT32",
            "type: DT_FLOAT type: DT_FLOAT type: DT_INT32",
            "input: \"x\" input: \"y\" input: \"n\" input: \"d\" input: \"n\"");

    List<Tensor> gradients = run(node, "", "g:0", "g:1", "g:2");

    assertThat(gradients.get(0).floats()[0]).isEqualTo((float) (Math.cos(0.5) * 3 * 2));
    assertThat(gradients.get(1).floats()[0]).isEqualTo((float) (Math.sin(0.5) * 2));
    assertThat(gradients.get(2).integer(0)).as("that of a whole number").isZero();
  }

  @Test
  void symbolicGradient_ofAFunctionWithAGradient_takesThat() {
    String node =
        gradient(
            "times",
            "type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT",
            "type: DT_FLOAT type: DT_FLOAT",
            "input: \"x\" input: \"y\" input: \"d\"");
    String registered = "gradient { function_name: \"times\" gradient_func: \"times_gradient\" }";

    assertThat(run(node, "", "g:0").getFirst().floats()).containsExactly(6);
    assertThat(run(node, registered, "g:0").getFirst().floats()).containsExactly(2);
    assertThat(run(node, registered, "g:1").getFirst().floats()).containsExactly(0.5f);
  }

  @Test
  void symbolicGradient_ofAnOpWithoutARule_isUnimplementedAndNamesFunctionAndOp() {
    String node =
        gradient(
            "rough",
            "type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT",
            "type: DT_FLOAT type: DT_FLOAT",
            "input: \"x\" input: \"y\" input: \"d\"");

    assertThatThrownBy(() -> run(node, "", "g:0"))
        .hasMessageContaining("rough")
        .hasMessageContaining("MatrixInverse")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }

  @Test
  void symbolicGradient_ofOtherTypes_isRefused() {
    String node = gradient("times", "type: DT_FLOAT", "type: DT_FLOAT", "input: \"x\"");

    assertThatThrownBy(() -> run(node, "", "g:0"))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  private static int counted(String start, String limit, String delta) {
    String node =
        "node { name: \"loop\" op: \"For\" input: \"%s\" input: \"%s\" input: \"%s\" input: \"n\""
                .formatted(start, limit, delta)
            + " attr { key: \"T\" value { list { type: DT_INT32 } } }"
            + " attr { key: \"body\" value { func { name: \"add_index\" } } } }\n"
            + constant("one", "DT_INT32", "int_val: 1");
    return (int) run(node, "", "loop").getFirst().integer(0);
  }

  @Test
  void for_runsItsBodyForEachNumber() {
    assertThat(counted("none", "n", "one")).isEqualTo(4 + 0 + 1 + 2 + 3);
    assertThat(counted("n", "none", "k")).isEqualTo(4 + 4 + 3 + 2 + 1);
    assertThat(counted("n", "n", "none")).isEqualTo(4);
  }

  @Test
  void for_thatWouldNeverEnd_isRefused() {
    assertThatThrownBy(() -> counted("none", "n", "k"))
        .hasMessageContaining("Invalid start/limit/delta: 0 4 -1")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
