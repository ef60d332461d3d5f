package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables that are filled from a dataset. */
final class TableFromDatasetTest {
  private static String number(String name, long value) {
    return "node { name: '%s' op: 'Const' ".formatted(name)
        + "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor {"
        + " dtype: DT_INT64 tensor_shape { } int64_val: %d } } } }\n".formatted(value);
  }

  private static String types(String... types) {
    return "attr { key: 'output_types' value { list { %s } } } "
            .formatted("type: " + String.join(" type: ", types))
        + "attr { key: 'output_shapes' value { list { %s } } } "
            .formatted("shape { } ".repeat(types.length));
  }

  private static String range(String name, String from, String to) {
    return "node { name: '%s' op: 'RangeDataset' input: '%s' input: '%s' input: 'one' %s }\n"
        .formatted(name, from, to, types("DT_INT64"));
  }

  /** The value of key 1 in a table with the keys 0 to {@code n} and the values from 10 on. */
  private static long find(long n, String keyType) {
    String graph =
        number("zero", 0)
            + number("one", 1)
            + number("n", n)
            + number("ten", 10)
            + number("end", 10 + n)
            + number("none", -1)
            + range("keys", "zero", "n")
            + range("values", "ten", "end")
            + "node { name: 'zip' op: 'ZipDataset' input: 'keys' input: 'values' "
            + "attr { key: 'N' value { i: 2 } } "
            + types("DT_INT64", "DT_INT64")
            + "}\n"
            + "node { name: 'table' op: 'HashTableV2' "
            + "attr { key: 'key_dtype' value { type: %s } } ".formatted(keyType)
            + "attr { key: 'value_dtype' value { type: DT_INT64 } } }\n"
            + "node { name: 'fill' op: 'InitializeTableFromDataset' input: 'table' input: 'zip' }\n"
            + "node { name: 'again' op: 'InitializeTableFromDataset' input: 'table' input: 'zip'"
            + " input: '^fill' }\n"
            + "node { name: 'find' op: 'LookupTableFindV2' input: 'table' input: 'one' input:"
            + " 'none' input: '^again' attr { key: 'Tin' value { type: DT_INT64 } } attr { key:"
            + " 'Tout' value { type: DT_INT64 } } }\n";
    try {
      return GraphRunner.run(
              TextFormat.parse(graph.replace('\'', '"'), GraphDef.class),
              List.of("find"),
              OpRegistry.standard(),
              StepContext.standalone())
          .getFirst()
          .integer(0);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(graph, e);
    }
  }

  @Test
  void tableFilledTwice_holdsTheElements() {
    assertThat(find(1000, "DT_INT64")).isEqualTo(11);
    assertThat(find(1, "DT_INT64")).isEqualTo(-1);
  }

  @Test
  void datasetWithoutElements_isRefusedAsByTensorFlow() {
    assertThatThrownBy(() -> find(0, "DT_INT64"))
        .hasMessageContaining("end of iterator")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.OUT_OF_RANGE);
  }

  @Test
  void keysOfAnotherDtype_areRefused() {
    assertThatThrownBy(() -> find(3, "DT_STRING"))
        .hasMessageContaining("Key dtype expected: string but obtained: int64 from the dataset")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
