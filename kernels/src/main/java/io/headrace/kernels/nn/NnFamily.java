package io.headrace.kernels.nn;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Ops of neural networks: convolution, pooling, normalization, losses, candidate sampling. */
public final class NnFamily {
  private NnFamily() {}

  /**
   * The ops of this family.
   *
   * @param entropy seeds the generators of nodes whose seed attrs are both zero
   */
  public static List<Op> ops(LongSupplier entropy) {
    return Stream.of(
            AccidentalHitsOps.ops(),
            BatchNormOps.ops(),
            BiasOps.ops(),
            CandidateSamplerOps.ops(entropy),
            ConvOps.ops(),
            CrossEntropyOps.ops(),
            CtcDecoderOps.ops(),
            CtcLossOps.ops(),
            DataFormatOps.ops(),
            DepthwiseConvOps.ops(),
            DilationOps.ops(),
            ExtractImagePatchesOps.ops(),
            ExtractVolumePatchesOps.ops(),
            FixedUnigramOps.ops(entropy),
            FractionalPoolGradientOps.ops(),
            FractionalPoolOps.ops(entropy),
            IsotonicRegressionOps.ops(),
            L2LossOps.ops(),
            LrnOps.ops(),
            NearestNeighborsOps.ops(),
            PoolOps.ops(),
            PoolSecondGradientOps.ops(),
            SoftmaxOps.ops(),
            SpaceToDepthOps.ops(),
            SparseSoftmaxOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
