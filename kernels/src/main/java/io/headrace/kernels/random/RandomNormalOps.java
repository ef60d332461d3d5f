package io.headrace.kernels.random;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;

/** The ops RandomStandardNormal, TruncatedNormal and their stateless forms. */
final class RandomNormalOps {
  private RandomNormalOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        RandomKernels.stateful("RandomStandardNormal", Distributions::normal, entropy),
        RandomKernels.stateful("TruncatedNormal", Distributions::truncatedNormal, entropy),
        RandomKernels.stateless("StatelessRandomNormal", Distributions::normal),
        RandomKernels.stateless("StatelessTruncatedNormal", Distributions::truncatedNormal),
        RandomKernels.statelessV2("StatelessRandomNormalV2", Distributions::normal),
        RandomKernels.statelessV2("StatelessTruncatedNormalV2", Distributions::truncatedNormal));
  }
}
