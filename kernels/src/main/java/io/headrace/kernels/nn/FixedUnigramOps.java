package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The op FixedUnigramCandidateSampler, which samples by given weights; the only one of the samplers
 * that reads files.
 */
final class FixedUnigramOps {
  private FixedUnigramOps() {}

  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        CandidateSamplerOps.declared(
                "FixedUnigramCandidateSampler",
                CandidateSamplerOps.RANGE,
                "vocab_file: string = ''",
                "distortion: float = 1",
                "num_reserved_ids: int = 0",
                "num_shards: int = 1",
                "shard: int = 0",
                "unigrams: list(float) = []")
            .touches(Touch.READS_FILES)
            .remark("A file is read when the op first runs, not when its kernel is made.")
            .kernel(node -> CandidateSamplerOps.kernel(node, samplers(node.attrs()), entropy)));
  }

  private static Supplier<RangeSampler> samplers(Attrs attrs) {
    boolean hasFile = !attrs.string("vocab_file").isEmpty();
    boolean hasWeights = !attrs.floats("unigrams").isEmpty();
    if (!hasFile && !hasWeights) {
      throw invalidArgument("Must provide either vocab_file or unigrams.");
    }
    if (hasFile && hasWeights) {
      throw invalidArgument("Must only provide one of vocab_file and unigrams.");
    }
    if (hasFile) {
      return new FromFile(attrs);
    }
    RangeSampler sampler = UnigramWeights.ofAttr(attrs);
    return () -> sampler;
  }

  /** A sampler from a file, which the first call reads. */
  private static final class FromFile implements Supplier<RangeSampler> {
    private final Attrs attrs;
    private @Nullable RangeSampler sampler;

    FromFile(Attrs attrs) {
      this.attrs = attrs;
    }

    @Override
    public synchronized RangeSampler get() {
      RangeSampler read = sampler;
      if (read == null) {
        read = UnigramWeights.ofFile(attrs);
        sampler = read;
      }
      return read;
    }
  }
}
