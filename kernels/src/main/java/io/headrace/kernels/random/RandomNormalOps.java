package io.headrace.kernels.random;

import io.headrace.runtime.op.DrawingKernel.SampleKind;
import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;

/** The ops RandomStandardNormal, TruncatedNormal and their stateless forms. */
final class RandomNormalOps {
  private RandomNormalOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        DrawKernel.stateful("RandomStandardNormal", SampleKind.NORMAL, entropy),
        DrawKernel.stateful("TruncatedNormal", SampleKind.TRUNCATED_NORMAL, entropy),
        DrawKernel.stateless("StatelessRandomNormal", SampleKind.NORMAL),
        DrawKernel.stateless("StatelessTruncatedNormal", SampleKind.TRUNCATED_NORMAL),
        DrawKernel.statelessV2("StatelessRandomNormalV2", SampleKind.NORMAL),
        DrawKernel.statelessV2("StatelessTruncatedNormalV2", SampleKind.TRUNCATED_NORMAL));
  }
}
