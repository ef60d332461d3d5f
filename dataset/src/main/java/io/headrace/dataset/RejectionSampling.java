package io.headrace.dataset;

import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Composes {@code rejectionResample}, as TensorFlow does: a mixture of the input and of a filter
 * that rejects elements of the classes that are too frequent.
 *
 * <p>With t and p the target and the initial proportion of each class, r = t / p, and m and M the
 * least and the greatest r: an element is drawn from the input as it is with probability m, and
 * else from the filter, which accepts a class with probability (r - m) / (M - m).
 */
final class RejectionSampling {
  /** The number of elements for which the proportions are estimated anew. */
  private static final int ESTIMATED = 32;

  /** The count with which each class begins, so that few elements decide little. */
  private static final long SMOOTHING = 10;

  private RejectionSampling() {}

  static Dataset of(Dataset input, Functions.ToScalar classOf, Resampling how) {
    Dataset classified = input.mapElement(element -> List.of(classOf.apply(element), element));
    float[] target = floats(how.target());
    if (how.initial().isEmpty()) {
      Dataset odds =
          estimates(input.mapElement(classOf::apply), target.length)
              .map(initial -> odds(initial, Ops.constant(Tensor.vector(target))));
      return mixture(
          classified,
          filtered(input, odds.mapElement(e -> e.get(0)), classOf, how),
          odds.mapElement(e -> e.get(1)),
          how);
    }
    Odds odds = Odds.of(floats(how.initial()), target);
    Dataset filtered = filtered(input, Dataset.tensors(odds.accepted()).repeat(-1), classOf, how);
    if (odds.unchanged() == 1) {
      return classified;
    }
    return odds.unchanged() == 0
        ? filtered
        : mixture(
            classified, filtered, Dataset.tensors(Tensor.scalar(odds.ofInput())).repeat(-1), how);
  }

  /**
   * The probabilities of a draw, in single precision, in which TensorFlow computes them.
   *
   * @param accepted the probability with which the filter accepts each class
   * @param ofInput the probability of drawing from the input as it is
   * @param unchanged the same without protection from divisions by zero
   */
  private record Odds(Tensor accepted, float ofInput, float unchanged) {
    static Odds of(float[] initial, float[] target) {
      float least = Float.POSITIVE_INFINITY;
      float greatest = Float.NEGATIVE_INFINITY;
      float unchanged = Float.POSITIVE_INFINITY;
      float[] ratios = new float[target.length];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = target[i] / (initial[i] + Float.MIN_NORMAL);
        least = Math.min(least, ratios[i]);
        greatest = Math.max(greatest, ratios[i]);
        unchanged = Math.min(unchanged, target[i] / initial[i]);
      }
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = (ratios[i] - least) / (greatest - least);
      }
      return new Odds(Tensor.vector(ratios), least, unchanged);
    }
  }

  /** The same for estimated proportions: what the filter accepts, and the input's probability. */
  private static List<Output> odds(Output initial, Output target) {
    Output ratios = target.div(initial.add(Ops.constant(Float.MIN_NORMAL)));
    Output least = ratios.min(0);
    return List.of(ratios.sub(least).div(ratios.max(0).sub(least)), least);
  }

  /** The proportions of the classes so far, one for each element. */
  private static Dataset estimates(Dataset classes, int count) {
    long[] begin = new long[count];
    Arrays.fill(begin, SMOOTHING);
    return classes
        .batch(ESTIMATED)
        .scan(
            List.of(Tensor.vector(begin)),
            (state, batch) -> {
              Output seen =
                  state.getFirst().add(Ops.oneHot(batch.output(), count, DataType.INT64).sum(0));
              Output proportions =
                  seen.cast(DataType.FLOAT64).div(seen.sum(0).cast(DataType.FLOAT64));
              return Scanned.of(
                  seen, Ops.tile(proportions.cast(DataType.FLOAT32).expandDims(0), ESTIMATED, 1));
            })
        .unbatch();
  }

  private static Dataset filtered(
      Dataset input, Dataset accepted, Functions.ToScalar classOf, Resampling how) {
    return Dataset.zip(accepted, input)
        .mapElement(pair -> {
          SymbolicElement element = pair.get(1);
          Output of = classOf.apply(element);
          return List.of(of, pair.get(0).output().gather(of, 0), element);
        })
        .filterElement(row -> random(how).less(row.get(1).output()))
        .mapElement(row -> List.of(row.get(0), row.get(2)))
        .prefetch(3);
  }

  private static Output random(Resampling how) {
    return Ops.randomUniform(how.seeded() ? Dataset.DEFAULT_GRAPH_SEED : 0, how.seed());
  }

  private static Dataset mixture(
      Dataset classified, Dataset filtered, Dataset ofInput, Resampling how) {
    Sampling draws = Sampling.UNIFORM.stopOnEmpty();
    return DirectedInterleave.sample(
        List.of(classified, filtered),
        ofInput.map(p -> rowOf(p, Ops.constant(1f).sub(p)).log()),
        how.seeded() ? draws.seed(how.seed()) : draws);
  }

  private static Output rowOf(Output first, Output second) {
    return Ops.stack(List.of(first, second), 0).expandDims(0);
  }

  private static float[] floats(List<Double> values) {
    float[] result = new float[values.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = (float) (double) values.get(i);
    }
    return result;
  }
}
