package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlacementTest {
  private static final Placement GPU = Placement.device("/gpu:0");

  /** The op and pin of each node of the dataset's functions. */
  private static List<String> pins(Dataset dataset) {
    return dataset.toGraphDef().getLibrary().getFunctionList().stream()
        .map(FunctionDef::getNodeDefList)
        .flatMap(List::stream)
        .map(PlacementTest::pin)
        .toList();
  }

  private static String pin(NodeDef node) {
    AttrValue pin = node.getAttrOrDefault("_headrace_device", AttrValue.getDefaultInstance());
    return node.getOp() + " " + pin.getS().toStringUtf8();
  }

  private static Output text(Output x) {
    return GraphBuilder.current()
        .op("AsString")
        .named("text")
        .input(x)
        .attr("T", DataType.INT64)
        .build();
  }

  @Test
  void placement_isAScopeAroundTheFunction() {
    Dataset range = Dataset.range(5);

    assertThat(pins(range.map(x -> x.mul(3L).add(1L), GPU)))
        .contains("Mul /device:GPU:0", "AddV2 /device:GPU:0")
        .isEqualTo(
            pins(
                range.map(x -> {
                  try (var _ = Ops.device("/gpu:0")) {
                    return x.mul(3L).add(1L);
                  }
                })));
  }

  @Test
  void scopeWithinTheFunction_isStronger_inWhatItNames() {
    Dataset dataset =
        Dataset.range(5)
            .map(
                x -> {
                  Output y = x.mul(3L);
                  try (var _ = Ops.device("/cpu:1")) {
                    y = y.sub(1L);
                  }
                  try (var _ = Ops.device("/job:gpu/task:1")) {
                    return y.add(x);
                  }
                },
                GPU);

    assertThat(pins(dataset))
        .contains("Mul /device:GPU:0", "Sub /device:CPU:1", "AddV2 /job:gpu/task:1/device:GPU:0");
  }

  @Test
  void elementsOfSeveralComponents_arePinnedAlike() {
    Dataset pairs = Dataset.zip(Dataset.range(5), Dataset.range(5));

    assertThat(pins(pairs.map((x, y) -> x.add(y), GPU))).containsExactly("AddV2 /device:GPU:0");
    assertThat(
            pins(
                Dataset.zip(pairs, Dataset.range(5))
                    .mapElement(e -> e.components().getLast().square(), GPU)))
        .containsExactly("Square /device:GPU:0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "gpu:0", "/gpu", "/device:GPU:x", "/job:1/task:0", "/tpu:0"})
  void nameOfNoDevice_isRefused(String device) {
    assertThatThrownBy(() -> Placement.device(device))
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("'" + device + "'");
  }

  @Test
  void strict_refusesAFunctionOfWhichTheCpuRunsAPart_byOpAndNode() {
    assertThatThrownBy(() -> Dataset.range(5).map(x -> text(x.mul(3L)), GPU.strict()))
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessage(
            "the placement on /device:GPU:0 is strict, and the CPU would run op AsString (node"
                + " text): no GPU kernel");
  }

  @Test
  void strict_looksIntoFunctionsThatTheFunctionCalls() {
    assertThatThrownBy(() ->
            Dataset.range(5)
                .map(
                    x ->
                        Ops.cond(x.less(2L), () -> List.of(text(x)), () -> List.of(text(x.neg())))
                            .getFirst(),
                    GPU.strict()))
        .hasMessageContaining("op AsString (node ")
        .hasMessageContaining("/text)");
  }

  @Test
  void strict_takesWhatAGpuRuns() {
    Dataset dataset =
        Dataset.range(5)
            .map(x -> x.cast(DataType.FLOAT32).div(255f).reshape(1).exp(), GPU.strict())
            .map(x -> x.mul(2f), Placement.device("/cpu:0").strict());

    assertThat(pins(dataset)).contains("Exp /device:GPU:0", "Mul /device:CPU:0");
  }

  @Test
  void explain_saysWhatIsCopied_andWhatTheCpuRuns() {
    Dataset dataset =
        Dataset.range(5)
            .map(
                x -> {
                  Output tripled = x.mul(3L);
                  return List.of(text(tripled), tripled.reshape(1).sub(1L));
                },
                GPU);

    assertThat(dataset.explain())
        .contains("{ Mul, AsString, Reshape, Sub }")
        .contains(
            "on /device:GPU:0: copied there args_0, copied back Mul, Sub, but on the CPU AsString"
                + " (node text: no GPU kernel)");
  }

  @Test
  void explain_ofAFunctionThatAGpuRuns_namesItsEndsAlone() {
    assertThat(Dataset.range(5).map(x -> x.mul(3L).add(x).square(), GPU).explain())
        .contains("on /device:GPU:0: copied there args_0, copied back Square")
        .doesNotContain("on the CPU");
  }
}
