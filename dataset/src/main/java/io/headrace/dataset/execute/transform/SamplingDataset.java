package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SampleStream;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** A random part of the input's elements: TensorFlow's choice for TensorFlow's seeds. */
public record SamplingDataset(DatasetValue input, float rate, SeedGenerator seeds, ElementSpec spec)
    implements UnaryDataset.Declared {
  public static final Op OP =
      DatasetOp.define(
              "SamplingDataset(input_dataset: variant, rate: float, seed: int64, seed2: int64)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .kernel(DatasetKernel.making(SamplingDataset::of));

  private static SamplingDataset of(OpArguments in) {
    Tensor rate = in.tensor("rate");
    if (rate.shape().rank() != 0) {
      throw in.invalid("`rate` must be a scalar, and is %s", rate);
    }
    SeedGenerator seeds = new SeedGenerator(Seeds.of(in), false);
    return new SamplingDataset(in.dataset("input_dataset"), rate.floats()[0], seeds, in.spec());
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "SamplingDataset", "which elements it takes depends on how many were before them");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input), new SampleStream(seeds.next(context.random())));
  }

  private final class Iterator extends UnaryIterator {
    private final SampleStream samples;

    Iterator(ChunkIterator input, SampleStream samples) {
      super(input);
      this.samples = samples;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        Chunk rows = input.next(maxRows);
        if (rows == null) {
          return null;
        }
        int[] taken = new int[rows.rows()];
        int count = 0;
        for (int row = 0; row < taken.length; row++) {
          if (nextUniform() < rate) {
            taken[count++] = row;
          }
        }
        if (count > 0) {
          return rows.withOrigins(Origins.NONE).gather(taken, count);
        }
      }
    }

    /** The next sample as a number in [0, 1) with 23 random bits. */
    private float nextUniform() {
      int bits = ((int) samples.next() & 0x7fffff) | 0x3f800000;
      return Float.intBitsToFloat(bits) - 1;
    }
  }
}
