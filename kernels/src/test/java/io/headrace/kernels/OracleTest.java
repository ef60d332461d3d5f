package io.headrace.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.headrace.kernels.variable.VariableResource;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replays the cases of src/test/oracle: every kernel gives stock TensorFlow's outputs, errors and
 * shapes. {@code -Doracle=family} replays one family, {@code -Doracle=family:Op} one op of it.
 */
final class OracleTest {
  static List<OracleCase> cases() throws IOException, URISyntaxException {
    String[] wanted = System.getProperty("oracle", "").split(":", 2);
    Path folder = Path.of(Objects.requireNonNull(OracleTest.class.getResource("oracle")).toURI());
    List<OracleCase> cases = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".cases.gz")).sorted().toList()) {
        String family = file.getFileName().toString().replace(".cases.gz", "");
        if (wanted[0].isEmpty() || family.equals(wanted[0])) {
          cases.addAll(read(file, family));
        }
      }
    }
    cases.removeIf(c -> wanted.length > 1 && !c.node().getOp().equals(wanted[1]));
    return cases;
  }

  private static List<OracleCase> read(Path file, String family) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return OracleCase.readAll(in, family);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void compute_ofStocksInputs_answersWhatStockAnswered(OracleCase c) {
    replay(c, c.inputs());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void compute_ofViewsOfLargerArrays_answersTheSame(OracleCase c) {
    replay(c, c.inputs().stream().map(OracleTest::withinLargerArray).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void compute_ofStartsOfLargerArrays_answersTheSame(OracleCase c) {
    replay(c, c.inputs().stream().map(OracleTest::atStartOfLargerArray).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void computeRows_ofManyRows_answersWhatComputeAnswersForEach(OracleCase c) {
    Kernel kernel;
    try {
      kernel = kernel(c);
    } catch (StatusException _) {
      return; // the other tests check that stock refuses it, too
    }
    if (!node(c).op().isStateful() && kernel instanceof Kernel.Sync sync) {
      new RowsCheck(sync, node(c), c).run();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void shapeRule_ofWhatIsKnown_infersWhatStockInfers(OracleCase c) {
    if (c.answers().getFirst().code() != StatusCode.OK) {
      return; // ours may detect an error in shape inference that stock detects in the kernel
    }
    c.shapes()
        .forEach((known, expected) ->
            assertThat(node(c).op().shapeRule().infer(new KnownInputs(known, c, node(c).attrs())))
                .as("shapes inferred from %s", known)
                .isEqualTo(expected));
  }

  /** The inputs of a shape function, reduced to the {@code known} facts of a case's inputs. */
  private record KnownInputs(OracleCase.Known known, OracleCase c, Attrs attrs)
      implements ShapeFunction.Inputs {
    @Override
    public int count() {
      return c.inputs().size();
    }

    @Override
    public Shape shape(int index) {
      Shape shape = isVariable(c, index) ? Shape.SCALAR : c.inputs().get(index).shape();
      return switch (known) {
        case CONSTANTS -> shape;
        case RANKS -> Shape.of(LongStream.generate(() -> -1).limit(shape.rank()).toArray());
        case NOTHING -> Shape.UNKNOWN;
      };
    }

    @Override
    public @Nullable Tensor constant(int index) {
      Tensor tensor = c.inputs().get(index);
      boolean constant =
          known == OracleCase.Known.CONSTANTS
              && tensor.dtype() != DataType.VARIANT
              && !isVariable(c, index);
      return constant ? tensor : null;
    }
  }

  private static void replay(OracleCase c, List<Tensor> inputs) {
    List<Tensor> before = inputs.stream().map(OracleTest::copy).toList();
    StepContext step = StepContext.standalone();
    List<Tensor> handles = new ArrayList<>(inputs);
    List<VariableResource> variables = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      if (isVariable(c, i)) {
        VariableResource variable = new VariableResource("v" + i, inputs.get(i).dtype());
        variable.assign(inputs.get(i), false);
        variables.add(variable);
        handles.set(i, Tensor.resource(variable));
      }
    }
    // As in a graph, every call fails if the kernel cannot be created.
    @Nullable Kernel kernel = null;
    for (OracleCase.Answer answer : c.answers()) {
      try {
        kernel = kernel == null ? kernel(c) : kernel;
        List<Tensor> outputs = new ArrayList<>(call(kernel, node(c), handles, step));
        outputs.removeIf(output -> output.dtype() == DataType.RESOURCE);
        variables.forEach(variable -> outputs.add(variable.read()));
        check(c, answer, outputs);
      } catch (StatusException e) {
        check(answer, e);
      }
    }
    assertThat(TensorDifference.EXACT.between(before, inputs)).as("inputs written to").isEmpty();
  }

  /** Whether input {@code index} is the value of a variable that the op takes by handle or ref. */
  private static boolean isVariable(OracleCase c, int index) {
    NodeSpec node = node(c);
    List<ArgSpec> arguments = node.op().inputs();
    boolean isHandle =
        node.inputTypes().get(index) == DataType.RESOURCE
            || (index < arguments.size() && arguments.get(index).isRef());
    return isHandle && c.inputs().get(index).dtype() != DataType.RESOURCE;
  }

  private static void check(OracleCase c, OracleCase.Answer answer, List<Tensor> outputs) {
    if (answer.code() != StatusCode.OK) {
      fail("%s instead of %s: %s", outputs, answer.code(), answer.message());
    }
    List<Tensor> expected = ComparableOutputs.of(c.node().getOp(), answer.outputs());
    List<Tensor> actual = ComparableOutputs.of(c.node().getOp(), outputs);
    assertThat(new TensorDifference(c.ulps(), c.atol()).between(expected, actual)).isEmpty();
  }

  private static void check(OracleCase.Answer answer, StatusException e) {
    if (e.code() != answer.code()) {
      throw new AssertionError(e.code() + " instead of " + answer.code(), e);
    }
    assertThat(e.message()).contains(answer.message());
  }

  static List<Tensor> call(Kernel kernel, NodeSpec node, List<Tensor> inputs, StepContext step) {
    FakeCall call = FakeCall.of(inputs, step);
    switch (kernel) {
      case Kernel.Sync sync -> sync.compute(call);
      case Kernel.Async async -> async.compute(call).join();
    }
    return call.outputs(node.outputTypes().size());
  }

  private static NodeSpec node(OracleCase c) {
    NodeDef def = c.node();
    Op op = OpRegistry.standard().find(def.getOp());
    assertThat(op).as("the op %s", def.getOp()).isNotNull();
    return NodeSpec.of(
        def.getName(), op, new Attrs(def.getName(), op, def.getAttrMap()), FunctionLookup.none());
  }

  private static Kernel kernel(OracleCase c) {
    return CpuKernels.create(node(c));
  }

  private static Tensor copy(Tensor tensor) {
    return withinLargerArray(tensor);
  }

  /** A copy of {@code tensor} as a view of a larger array: 3 elements before it, 2 after it. */
  static Tensor withinLargerArray(Tensor tensor) {
    return withinLargerArray(tensor, 3);
  }

  /** A copy of {@code tensor} as the first elements of a larger array: the first of many rows. */
  private static Tensor atStartOfLargerArray(Tensor tensor) {
    return withinLargerArray(tensor, 0);
  }

  private static Tensor withinLargerArray(Tensor tensor, int before) {
    int elements = tensor.elements();
    Object array = tensor.dtype().kind().newArray(elements + before + 2);
    tensor
        .dtype()
        .kind()
        .copy(TensorMemory.array(tensor), TensorMemory.offset(tensor), array, before, elements);
    return Tensor.view(tensor.dtype(), tensor.shape(), array, before);
  }
}
