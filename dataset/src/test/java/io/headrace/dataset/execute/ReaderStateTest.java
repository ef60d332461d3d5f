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
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The serialized states of readers, which stock TensorFlow reads and writes, too. */
final class ReaderStateTest {
  private static final String GRAPH =
      """
      node { name: "queue" op: "FIFOQueueV2" attr { key: "shared_name" value { s: "q" } }
        attr { key: "component_types" value { list { type: DT_STRING } } } }
      node { name: "name" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
        attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { }
          string_val: "a/file" } } } }
      node { name: "put" op: "QueueEnqueueV2" input: "queue" input: "name"
        attr { key: "Tcomponents" value { list { type: DT_STRING } } } }
      node { name: "reader" op: "IdentityReaderV2" attr { key: "shared_name" value { s: "r" } } }
      node { name: "lines" op: "TextLineReaderV2" attr { key: "shared_name" value { s: "l" } } }
      node { name: "read" op: "ReaderReadV2" input: "reader" input: "queue" input: "^put" }
      node { name: "save" op: "ReaderSerializeStateV2" input: "reader" }
      node { name: "save_lines" op: "ReaderSerializeStateV2" input: "lines" }
      node { name: "reset" op: "ReaderResetV2" input: "reader" }
      node { name: "produced" op: "ReaderNumRecordsProducedV2" input: "reader" }
      node { name: "state" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
        attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { }
          string_val: "STATE" } } } }
      node { name: "restore" op: "ReaderRestoreStateV2" input: "reader" input: "state" }
      node { name: "restored" op: "ReaderNumRecordsProducedV2" input: "reader" input: "^restore" }
      node { name: "was_reset" op: "ReaderNumRecordsProducedV2" input: "reader" input: "^reset" }
      """;

  private final StepContext step = StepContext.standalone();

  private Tensor run(String result, String state) {
    try {
      GraphDef graph = TextFormat.parse(GRAPH.replace("STATE", state), GraphDef.class);
      return GraphRunner.run(graph, List.of(result), OpRegistry.standard(), step).getFirst();
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void state_isTensorFlowsMessage() {
    assertThat(run("save", "").string(0)).isEmpty();
    run("read", "");

    assertThat(run("save", "").string(0))
        .containsExactly(8, 1, 16, 1, 24, 1, 34, 6, 'a', '/', 'f', 'i', 'l', 'e');
  }

  @Test
  void restore_goesOnCountingFromTheState() {
    assertThat(run("restored", "\\010\\002\\020\\002\\030\\005").longs()).containsExactly(5);
    run("read", "");
    assertThat(run("produced", "").longs()).containsExactly(6);
    assertThat(run("was_reset", "").longs()).containsExactly(0);
  }

  @Test
  void restore_ofAStateWithinAFile_isRefused_andBeginsAnew() {
    run("read", "");

    assertThatThrownBy(() -> run("restored", "\\010\\002\\020\\001"))
        .hasMessageContaining("Inconsistent work started vs. finished")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(run("produced", "").longs()).containsExactly(0);
  }

  @Test
  void stateOfAReaderOfRecords_isUnimplemented_asInTensorFlow() {
    assertThatThrownBy(() -> run("save_lines", ""))
        .hasMessageContaining("Reader SerializeState")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }
}
