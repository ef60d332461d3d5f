package io.headrace.kernels.random;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Random ops, with TensorFlow's bits for TensorFlow's seeds. */
public final class RandomFamily {
  private RandomFamily() {}

  /**
   * The ops of this family.
   *
   * @param entropy seeds the generators of nodes whose seed attrs are both zero
   */
  public static List<Op> ops(LongSupplier entropy) {
    return Stream.of(
            RandomBinomialOps.ops(),
            RandomGammaOps.ops(entropy),
            RandomIndexShuffleOps.ops(),
            MultinomialOps.ops(entropy),
            ParameterizedTruncatedNormalOps.ops(entropy),
            RandomPoissonOps.ops(entropy),
            RandomNormalOps.ops(entropy),
            RandomShuffleOps.ops(entropy),
            RandomUniformOps.ops(entropy),
            StatelessRandomGetKeyCounterOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
