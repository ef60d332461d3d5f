package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The parameters of {@link Dataset#rejectionResample}.
 *
 * @param target the proportion of each class in the result
 * @param initial the proportion of each class in the input; if empty, it is estimated from the
 *     elements as they are read
 * @param seed TensorFlow's seed, which gives TensorFlow's draws; 0 if not {@code seeded}
 * @param seeded whether {@code seed} applies; otherwise each pass draws at random
 */
public record Resampling(List<Double> target, List<Double> initial, long seed, boolean seeded) {
  /**
   * Copies the lists.
   *
   * @throws StatusException INVALID_ARGUMENT if there are not as many initial as target
   *     proportions, or one is negative or no number
   */
  public Resampling {
    requireNonNull(target, "target is null");
    requireNonNull(initial, "initial is null");
    target = List.copyOf(target);
    initial = List.copyOf(initial);
    if (target.isEmpty() || (!initial.isEmpty() && initial.size() != target.size())) {
      throw StatusException.invalidArgument(
          "there must be a proportion for each class: %d target and %d initial ones were given",
          target.size(), initial.size());
    }
    check(target);
    check(initial);
  }

  private static void check(List<Double> proportions) {
    for (double proportion : proportions) {
      if (!(proportion >= 0) || Double.isInfinite(proportion)) {
        throw StatusException.invalidArgument(
            "the proportion of a class must be finite and at least 0, and one is %s", proportion);
      }
    }
  }

  /** Makes class {@code i} the proportion {@code target[i]} of the result. */
  public static Resampling to(double... target) {
    requireNonNull(target, "target is null");
    return new Resampling(list(target), List.of(), 0, false);
  }

  /** States the proportions of the input, which are estimated otherwise. */
  public Resampling from(double... newInitial) {
    requireNonNull(newInitial, "newInitial is null");
    return new Resampling(target, list(newInitial), seed, seeded);
  }

  /** Draws in TensorFlow's order for {@code newSeed}. */
  public Resampling seed(long newSeed) {
    return new Resampling(target, initial, newSeed, true);
  }

  private static List<Double> list(double... values) {
    return DoubleStream.of(values).boxed().toList();
  }
}
