package io.headrace.runtime.gradient;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients equal those of stock TensorFlow, for the cases of src/test/oracle/gradients.py. */
final class GradientsTest {
  /** The tolerance for sums and functions, relative to the largest element. */
  private static final double FLOAT_ERROR = 1e-5;

  private static final double DOUBLE_ERROR = 1e-12;

  record Case(
      String name,
      GraphDef graph,
      List<String> results,
      List<String> by,
      List<Optional<Tensor>> gradients) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    try (var in =
        new DataInputStream(
            new GZIPInputStream(
                Objects.requireNonNull(
                    GradientsTest.class.getResourceAsStream("gradients.cases.gz"))))) {
      for (int left = in.readInt(); left > 0; left--) {
        String name = new String(bytes(in), UTF_8);
        GraphDef graph = GraphDef.parseFrom(bytes(in));
        List<String> results = texts(in);
        List<String> by = texts(in);
        List<Optional<Tensor>> gradients = new ArrayList<>();
        for (int i = 0; i < by.size(); i++) {
          gradients.add(
              in.readInt() == 0
                  ? Optional.empty()
                  : Optional.of(TensorProtos.read(TensorProto.parseFrom(bytes(in)))));
        }
        cases.add(new Case(name, graph, results, by, gradients));
      }
    }
    return cases;
  }

  private static List<String> texts(DataInputStream in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      texts.add(new String(bytes(in), UTF_8));
    }
    return texts;
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    return in.readNBytes(in.readInt());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void gradients_areStocks(Case c) {
    GraphBuilder graph = new GraphBuilder(OpRegistry.standard());
    List<String> names = new ArrayList<>(c.results);
    names.addAll(c.by);
    List<Output> outputs = graph.importGraph(c.graph, names);
    List<Output> results = outputs.subList(0, c.results.size());
    List<Output> by = outputs.subList(c.results.size(), outputs.size());

    List<Optional<Output>> gradients = Gradients.of(results, by);

    assertThat(gradients.stream().map(Optional::isPresent))
        .isEqualTo(c.gradients.stream().map(Optional::isPresent).toList());
    List<Tensor> values = run(graph, gradients.stream().flatMap(Optional::stream).toList());
    List<Tensor> expected = c.gradients.stream().flatMap(Optional::stream).toList();
    for (int i = 0; i < expected.size(); i++) {
      assertClose(values.get(i), expected.get(i));
    }
  }

  private static List<Tensor> run(GraphBuilder graph, List<Output> results) {
    return GraphRunner.run(
        graph.toGraphDef(),
        results.stream().map(Output::name).toList(),
        OpRegistry.standard(),
        StepContext.standalone());
  }

  private static void assertClose(Tensor actual, Tensor expected) {
    assertThat(actual.typeAndShape()).isEqualTo(expected.typeAndShape());
    boolean isDouble = expected.dtype().partType() == DataType.FLOAT64;
    double[] a = numbers(actual);
    double[] e = numbers(expected);
    double largest = 1;
    for (double value : e) {
      largest = Math.max(largest, Math.abs(value));
    }
    assertThat(a)
        .usingComparatorWithPrecision(largest * (isDouble ? DOUBLE_ERROR : FLOAT_ERROR))
        .containsExactly(e);
  }

  private static double[] numbers(Tensor tensor) {
    Tensor compact = tensor.compact();
    if (compact.dtype().partType() == DataType.FLOAT64) {
      return compact.doubles();
    }
    float[] floats = compact.floats();
    double[] numbers = new double[compact.elements() * compact.dtype().kind().slots()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = floats[i];
    }
    return numbers;
  }

  @Test
  void of_wholeNumbers_isRefused() {
    GraphBuilder graph = new GraphBuilder(OpRegistry.standard());
    Output x = graph.constant(Tensor.scalar(1));

    assertThatThrownBy(() -> Gradients.of(List.of(x.add(1)), List.of(x)))
        .hasMessageContaining("AddV2:0 is int32")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void of_anOpWithoutARule_isUnimplementedAndNamesIt() {
    GraphBuilder graph = new GraphBuilder(OpRegistry.standard());
    Output x = graph.constant(Tensor.scalar(2f));
    Output y = graph.op("MatrixInverse").input(x.reshape(1, 1)).build();

    assertThatThrownBy(() -> Gradients.of(List.of(y), List.of(x)))
        .hasMessageContaining("MatrixInverse")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }

  @Test
  void of_anArgumentOfAFunction_areThere() {
    List<Optional<Output>> found = new ArrayList<>();
    var _ =
        FunctionBuilder.trace(
            "square",
            OpRegistry.standard(),
            List.of(DataType.FLOAT32),
            List.of(Shape.SCALAR),
            args -> {
              found.addAll(Gradients.of(List.of(args.getFirst().mul(args.getFirst())), args));
              return args;
            });

    assertThat(found).hasSize(1).allMatch(Optional::isPresent);
  }

  @Test
  void of_outputsOfTwoGraphs_isRefused() {
    Output x = new GraphBuilder(OpRegistry.standard()).constant(Tensor.scalar(1f));
    Output y = new GraphBuilder(OpRegistry.standard()).constant(Tensor.scalar(1f));

    assertThatThrownBy(() -> Gradients.of(List.of(y), List.of(x)))
        .hasMessageContaining("another graph");
  }
}
