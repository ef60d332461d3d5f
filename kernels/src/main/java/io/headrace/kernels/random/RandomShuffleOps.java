package io.headrace.kernels.random;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.function.LongSupplier;

/** The ops RandomShuffle and StatelessShuffle: a permutation of the first dimension. */
final class RandomShuffleOps {
  private RandomShuffleOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(shuffle(entropy), statelessShuffle());
  }

  private static Op shuffle(LongSupplier entropy) {
    return Op.define("RandomShuffle(value: T) -> output: T")
        .attrs("seed: int = 0", "seed2: int = 0", "T: type")
        .stateful()
        .shape(ShapeFunctions.SAME)
        .kernel(node -> {
          SharedPhilox generator = RandomKernels.seeded(node.attrs(), entropy);
          return call -> {
            Tensor value = call.input(0);
            boolean shuffles = needsShuffling(value);
            call.setOutput(
                0,
                shuffles
                    ? shuffled(value, generator.reserveSamples(value.shape().size(0) - 1))
                    : value);
          };
        });
  }

  private static Op statelessShuffle() {
    return Op.define(
            "StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> output: T")
        .attrs("T: type")
        .shape(ShapeFunctions.SAME)
        .stateless(call -> {
          StatelessSeeds.checkPhilox(call);
          Tensor value = call.input(0);
          call.setOutput(
              0,
              needsShuffling(value)
                  ? shuffled(value, StatelessSeeds.ofKeyCounterAlg(call))
                  : value);
        });
  }

  private static boolean needsShuffling(Tensor value) {
    return value.elements() > 1 && value.shape().size(0) > 1;
  }

  /** The rows of {@code value} in a random order. */
  private static Tensor shuffled(Tensor value, Philox generator) {
    int[] order = order((int) value.shape().size(0), new PhiloxStream(generator));
    ElementKind kind = value.dtype().kind();
    Object array = TensorLimit.allocate(value.dtype(), value.shape());
    int row = value.elements() / order.length;
    for (int i = 0; i < order.length; i++) {
      kind.copy(
          TensorMemory.array(value),
          TensorMemory.offset(value) + order[i] * row,
          array,
          i * row,
          row);
    }
    return Tensor.wrap(value.dtype(), value.shape(), array);
  }

  /** A permutation by a Fisher-Yates shuffle. */
  private static int[] order(int size, PhiloxStream samples) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    for (int i = 0; i < size - 1; i++) {
      int j = i + samples.nextBelow(size - i);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }
}
