package io.headrace.runtime.execute;

import static io.headrace.runtime.execute.FunctionText.constant;
import static io.headrace.runtime.execute.FunctionText.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random functions whose intermediate values die, beside the same functions in which they are
 * results, so that no array is used again. With assertions on, as in tests, arrays that nobody
 * needs are filled with nonsense.
 */
final class ReusedArraysTest {
  private static final int FUNCTIONS = 100;
  private static final int NODES = 16;

  /** Arrays of this many floats are large enough to be used again. */
  private static final int SIZE = 2048;

  private static final String HANDLE = "output_handle";
  private static final String FLOATS = "T=DT_FLOAT ";

  /** Builds functions over vectors of {@link #SIZE} floats. */
  private static final class RandomFunction {
    private final Random random;
    private final List<String> nodes = new ArrayList<>();

    /** Vectors of the size. */
    private final List<String> values = new ArrayList<>(List.of("x"));

    private final List<String> all = new ArrayList<>();

    RandomFunction(Random random) {
      this.random = random;
      nodes.add(integers("axis", "", 0));
      nodes.add(integers("shift", "", 77));
      nodes.add(integers("axes", "dim { size: 1 }", 0));
      nodes.add(integers("begin", "dim { size: 1 }", SIZE / 4));
      nodes.add(integers("half", "dim { size: 1 }", SIZE / 2));
      nodes.add(integers("whole", "dim { size: 1 }", SIZE));
      nodes.add(integers("scalar", "dim { size: 0 }", new int[0]));
      for (int i = 0; i < NODES; i++) {
        values.add(addNode("n" + i));
      }
    }

    private static String integers(String name, String dimensions, int... values) {
      StringBuilder content = new StringBuilder("tensor_shape { " + dimensions + " }");
      for (int value : values) {
        content.append(" int_val: ").append(value);
      }
      return constant(name, "DT_INT32", content.toString());
    }

    private String value() {
      // The latest values more often than others, so that chains are long.
      int back = Math.min(random.nextInt(1, 4) * random.nextInt(1, 3), values.size());
      return values.get(values.size() - back);
    }

    private String add(String name, String op, String types, String output, String... inputs) {
      nodes.add(node(name, op, types, inputs));
      String made = name + ":" + output + ":0";
      if (!output.equals(HANDLE)) {
        all.add(made);
      }
      return made;
    }

    private String addNode(String name) {
      return switch (random.nextInt(9)) {
        case 0 ->
            add(
                name,
                "Roll",
                FLOATS + "Tshift=DT_INT32 Taxis=DT_INT32",
                "output",
                value(),
                "shift:output:0",
                "axis:output:0");
        case 1 ->
            add(name, "ReverseV2", FLOATS + "Tidx=DT_INT32", "output", value(), "axes:output:0");
        case 2 -> add(name, "Neg", "T=DT_FLOAT", "y", value());
        case 3 -> add(name, "AddV2", "T=DT_FLOAT", "z", value(), value());
        case 4 -> add(name, "Identity", "T=DT_FLOAT", "output", value());
        case 5 ->
            add(name, "Reshape", FLOATS + "Tshape=DT_INT32", "output", value(), "whole:output:0");
        case 6 -> {
          // A view of its input.
          String half =
              add(
                  name + "h",
                  "Slice",
                  FLOATS + "Index=DT_INT32",
                  "output",
                  value(),
                  "begin:output:0",
                  "half:output:0");
          yield add(
              name,
              "ConcatV2",
              FLOATS + "Tidx=DT_INT32 N=2",
              "output",
              half,
              half,
              "axis:output:0");
        }
        case 7 -> {
          String types = "element_dtype=DT_FLOAT shape_type=DT_INT32";
          String list =
              add(name + "l", "TensorListFromTensor", types, HANDLE, value(), "scalar:output:0");
          yield add(
              name,
              "TensorListStack",
              "element_dtype=DT_FLOAT num_elements=" + SIZE,
              "tensor",
              list,
              "scalar:output:0");
        }
        default -> {
          // Stays in pieces, of which one may be the other.
          String packed =
              add(name + "p", "Pack", FLOATS + "N=2 axis=0", "output", value(), value());
          yield add(name, "Max", FLOATS + "Tidx=DT_INT32", "output", packed, "axis:output:0");
        }
      };
    }

    CallableFunction of(List<String> results) {
      return FunctionText.function(results, nodes);
    }
  }

  private static List<Tensor> call(CallableFunction function, Tensor x) {
    return function.call(List.of(x), StepContext.standalone());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void values_areThoseOfFunctionsWhoseArraysAreUsedOnce(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < FUNCTIONS; i++) {
      RandomFunction made = new RandomFunction(random);
      List<String> all = made.all;
      CallableFunction once = made.of(all);
      List<String> last = List.of(all.getLast(), all.get(random.nextInt(all.size())));
      CallableFunction reusing = made.of(last);

      List<List<Tensor>> results = new ArrayList<>();
      List<List<Tensor>> expected = new ArrayList<>();
      for (int row = 0; row < 3; row++) {
        float[] x = new float[SIZE];
        for (int k = 0; k < SIZE; k++) {
          x[k] = random.nextInt(-8, 9);
        }
        Tensor input = Tensor.vector(x.clone());
        List<Tensor> values = call(once, input);
        expected.add(last.stream().map(name -> values.get(all.indexOf(name))).toList());
        results.add(call(reusing, input));
        assertThat(input.floats()).isEqualTo(x);
      }
      // Results of earlier rows are left alone, too.
      for (int row = 0; row < 3; row++) {
        for (int k = 0; k < last.size(); k++) {
          assertThat(results.get(row).get(k).floats())
              .as("seed %d, function %d, row %d, %s", seed, i, row, last.get(k))
              .isEqualTo(expected.get(row).get(k).floats());
        }
      }
    }
  }
}
