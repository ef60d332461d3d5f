package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.KernelTimes;
import io.headrace.runtime.op.KernelTimes.OpTime;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which kernels the time of a function counts for, on a clock that each reading advances. */
final class KernelTimesTest {
  private static final String FUNCTIONS =
      """
      function {
        signature {
          name: 'f' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 }
        }
        ret { key: 'y' value: 'choice:output:0' }
        node_def {
          name: 'sum' op: 'AddV2' input: 'x' input: 'x' attr { key: 'T' value { type: DT_INT64 } }
        }
        node_def {
          name: 'product' op: 'Mul' input: 'sum:z:0' input: 'x'
          attr { key: 'T' value { type: DT_INT64 } }
        }
        node_def {
          name: 'test' op: 'Less' input: 'x' input: 'product:z:0'
          attr { key: 'T' value { type: DT_INT64 } }
        }
        node_def {
          name: 'choice' op: 'StatelessIf' input: 'test:z:0' input: 'x'
          attr { key: 'Tcond' value { type: DT_BOOL } }
          attr { key: 'Tin' value { list { type: DT_INT64 } } }
          attr { key: 'Tout' value { list { type: DT_INT64 } } }
          attr { key: 'then_branch' value { func { name: 'g' } } }
          attr { key: 'else_branch' value { func { name: 'g' } } }
        }
      }
      function {
        signature {
          name: 'g' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 }
        }
        ret { key: 'y' value: 'negative:y:0' }
        node_def {
          name: 'negative' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_INT64 } }
        }
      }
      """;

  private final AtomicLong clock = new AtomicLong();
  private final KernelTimes times = KernelTimes.by(clock::incrementAndGet);

  private static CallableFunction function() throws TextFormat.ParseException {
    FunctionDefLibrary library =
        TextFormat.parse(FUNCTIONS.replace('\'', '"'), FunctionDefLibrary.class);
    return new FunctionLibrary(library, OpRegistry.standard()).instantiate(new FunctionRef("f"));
  }

  private StepContext measured() {
    return StepContext.standalone().withKernelTimes(times);
  }

  @Test
  void time_countsForFusedOpsTogether_andForThoseOfACalledFunction() throws Exception {
    assertThat(function().call(List.of(Tensor.scalar(3L)), measured()).getFirst().integer(0))
        .isEqualTo(-3);

    assertThat(times.largest(8))
        .extracting(OpTime::op)
        .containsExactlyInAnyOrder("AddV2+Mul+Less", "Neg");
  }

  @Test
  void time_ofManyRows_counts() throws Exception {
    Column rows = new Column.Stacked(Tensor.vector(1L, 2L, 3L));

    assertThat(function().callRows(3, List.of(rows), List.of(), measured()).rows()).isEqualTo(3);

    assertThat(times.largest(8))
        .extracting(OpTime::op)
        .containsExactlyInAnyOrder("AddV2+Mul+Less", "Neg");
    assertThat(times.largest(1)).hasSize(1);
  }

  @Test
  void time_ofAFunctionThatIsNotMeasured_countsForNothing() throws Exception {
    assertThat(function().call(List.of(Tensor.scalar(3L)), StepContext.standalone())).hasSize(1);

    assertThat(KernelTimes.NONE.largest(8)).isEmpty();
    assertThat(KernelTimes.NONE.nanos()).isZero();
  }
}
