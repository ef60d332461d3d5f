package io.headrace.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import org.junit.jupiter.api.Test;

final class LegacyFunctionCallsTest {
  private static final OpRegistry OPS =
      OpRegistry.of(Op.define("Twice(x: T) -> y: T").attrs("T: type = int64").structural());

  private static final String PAIR =
      """
      function {
        signature { name: "pair" input_arg { name: "x" type: DT_INT64 }
          output_arg { name: "first" type: DT_INT64 } output_arg { name: "last" type: DT_FLOAT } }
      }
      """;

  private static GraphDef graph(String text) {
    try {
      return TextFormat.parse(text, GraphDef.class);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nodeWhoseOpIsAFunction_becomesACall() {
    GraphDef graph =
        graph("node { name: \"p\" op: \"pair\" input: \"a\" } library { %s }".formatted(PAIR));

    NodeDef call = LegacyFunctionCalls.written(graph, OPS).getNode(0);

    assertThat(call.getOp()).isEqualTo("PartitionedCall");
    assertThat(call.getAttrOrThrow("f").getFunc().getName()).isEqualTo("pair");
    assertThat(call.getAttrOrThrow("Tin").getList().getTypeValueList()).containsExactly(9);
    assertThat(call.getAttrOrThrow("Tout").getList().getTypeValueList()).containsExactly(9, 1);
  }

  @Test
  void callInAFunction_numbersTheOutputsThatOthersTake() {
    GraphDef graph =
        graph(
            """
            library { %s function {
              signature { name: "f" input_arg { name: "x" type: DT_INT64 }
                output_arg { name: "y" type: DT_INT64 } output_arg { name: "z" type: DT_FLOAT } }
              node_def { name: "p" op: "pair" input: "x" }
              node_def { name: "t" op: "Twice" input: "p:first:0" input: "^p" }
              ret { key: "y" value: "t:y:0" } ret { key: "z" value: "p:last:0" }
            } }
            """
                .formatted(PAIR));

    FunctionDef f = LegacyFunctionCalls.written(graph, OPS).getLibrary().getFunction(1);

    assertThat(f.getNodeDef(0).getOp()).isEqualTo("PartitionedCall");
    assertThat(f.getNodeDef(1).getInputList()).containsExactly("p:output:0", "^p");
    assertThat(f.getRetMap()).containsEntry("y", "t:y:0").containsEntry("z", "p:output:1");
  }

  @Test
  void graphWithoutSuchCalls_staysAsItIs() {
    GraphDef graph =
        graph("node { name: \"p\" op: \"Twice\" input: \"a\" } library { %s }".formatted(PAIR));

    assertThat(LegacyFunctionCalls.written(graph, OPS)).isSameAs(graph);
  }
}
