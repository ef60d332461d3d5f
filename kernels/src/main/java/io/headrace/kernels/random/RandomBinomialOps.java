package io.headrace.kernels.random;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/** The StatelessRandomBinomial op. */
final class RandomBinomialOps {
  private RandomBinomialOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T)"
                    + " -> output: dtype")
            .attrs(
                "S: {int32, int64}",
                "Tseed: {int32, int64} = int64",
                "T: {half, float, double} = double",
                "dtype: {half, float, double, int32, int64} = int64")
            .shape(RandomKernels::shapeOfInput0)
            .remark(BinomialDraw.REMARK)
            .kernel(node -> call -> fill(call, node.outputTypes().getFirst())));
  }

  private static void fill(KernelCall call, DataType dtype) {
    Philox generator = StatelessSeeds.scramble(call.input(1));
    BinomialDraw draw = BinomialDraw.of(call.input(0), call.input(2), call.input(3));
    call.setOutput(0, draw.samples(dtype, generator, call));
  }
}
