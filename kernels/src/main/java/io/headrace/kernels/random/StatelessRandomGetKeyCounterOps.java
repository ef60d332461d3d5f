package io.headrace.kernels.random;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The ops that turn the seed of a stateless random op into a generator:
 * StatelessRandomGetKeyCounter, StatelessRandomGetAlg and StatelessRandomGetKeyCounterAlg.
 */
final class StatelessRandomGetKeyCounterOps {
  private StatelessRandomGetKeyCounterOps() {}

  static List<Op> ops() {
    return List.of(
        keyCounter(),
        keyCounterAlg(),
        Op.define("StatelessRandomGetAlg() -> alg: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call -> call.setOutput(0, Tensor.scalar(StatelessSeeds.PHILOX))));
  }

  private static Op keyCounter() {
    return Op.define("StatelessRandomGetKeyCounter(seed: Tseed) -> (key: uint64, counter: uint64)")
        .attrs("Tseed: {int32, int64} = int64")
        .shape(_ -> List.of(Shape.of(1), Shape.of(2)))
        .stateless(StatelessRandomGetKeyCounterOps::setKeyAndCounter);
  }

  private static Op keyCounterAlg() {
    return Op.define(
            "StatelessRandomGetKeyCounterAlg(seed: Tseed)"
                + " -> (key: uint64, counter: uint64, alg: int32)")
        .attrs("Tseed: {int32, int64} = int64")
        .shape(_ -> List.of(Shape.of(1), Shape.of(2), Shape.SCALAR))
        .stateless(call -> {
          setKeyAndCounter(call);
          call.setOutput(2, Tensor.scalar(StatelessSeeds.PHILOX));
        });
  }

  private static void setKeyAndCounter(KernelCall call) {
    Philox philox = StatelessSeeds.scramble(call.input(0));
    call.setOutput(0, Tensor.wrap(DataType.UINT64, Shape.of(1), new long[] {philox.key()}));
    call.setOutput(
        1,
        Tensor.wrap(
            DataType.UINT64, Shape.of(2), new long[] {philox.counterLow(), philox.counterHigh()}));
  }
}
