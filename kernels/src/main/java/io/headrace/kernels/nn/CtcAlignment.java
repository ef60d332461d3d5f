package io.headrace.kernels.nn;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;

/**
 * All alignments of one sequence of labels with the time steps of its logits, by the forward and
 * backward variables of A. Graves, Supervised Sequence Labelling with Recurrent Neural Networks,
 * chapter 7. A label is output at one step or more, with blanks before and after it.
 */
final class CtcAlignment {
  private final LogArithmetic arithmetic;
  private final int steps;
  private final int classes;
  private final boolean mergeRepeated;
  private final Cancellation stop;

  /** The labels with a blank before each and one at the end. */
  private final int[] path;

  /** The probability of each class at each time step, and its logarithm. */
  private final double[] probabilities;

  private final double[] logs;

  /** The forward and backward variables: a column of the path's length for each time step. */
  private final double[] alpha;

  private final double[] beta;
  private double logLikelihood;

  /** An alignment of {@code labels} with {@code steps} time steps, at least one. */
  CtcAlignment(
      LogArithmetic arithmetic,
      int[] labels,
      int steps,
      int classes,
      boolean mergeRepeated,
      Cancellation stop) {
    this.arithmetic = arithmetic;
    this.steps = steps;
    this.classes = classes;
    this.mergeRepeated = mergeRepeated;
    this.stop = stop;
    this.path = new int[2 * labels.length + 1];
    Arrays.fill(path, classes - 1);
    for (int i = 0; i < labels.length; i++) {
      path[2 * i + 1] = labels[i];
    }
    this.probabilities = numbers(classes);
    this.logs = numbers(classes);
    this.alpha = numbers(path.length);
    this.beta = numbers(path.length);
  }

  private double[] numbers(int each) {
    return (double[]) TensorLimit.allocate(DataType.FLOAT64, Shape.of(steps, each));
  }

  /** Sets the logits of time step {@code t}. */
  void setLogits(int t, double[] logits) {
    double most = logits[0];
    for (double logit : logits) {
      most = Math.max(most, logit);
    }
    double sum = 0;
    int from = t * classes;
    for (int c = 0; c < classes; c++) {
      probabilities[from + c] = arithmetic.round(Math.exp(arithmetic.round(logits[c] - most)));
      sum += probabilities[from + c];
    }
    sum = arithmetic.round(sum);
    for (int c = 0; c < classes; c++) {
      probabilities[from + c] = arithmetic.round(probabilities[from + c] / sum);
      logs[from + c] = arithmetic.log(probabilities[from + c]);
    }
  }

  /** The negative logarithm of the labels' probability, once all logits are set. */
  double loss() {
    forward();
    backward();
    logLikelihood = LogArithmetic.ZERO;
    for (int u = 0; u < path.length; u++) {
      logLikelihood = arithmetic.sum(logLikelihood, arithmetic.round(alpha[u] + beta[u]));
    }
    return -logLikelihood;
  }

  private double log(int u, int t) {
    return logs[t * classes + path[u]];
  }

  private boolean isBlank(int u) {
    return path[u] == classes - 1;
  }

  /** The first place of the path from which the remaining steps suffice to reach its end. */
  private int first(int t) {
    return Math.max(0, path.length - 2 * (steps - t));
  }

  /** The end of the places that the steps up to {@code t} suffice to reach. */
  private int end(int t) {
    return Math.min(path.length, 2 * (t + 1));
  }

  /** Whether a path may go from place {@code u - 2} to place {@code u} at once. */
  private boolean isSkippable(int u) {
    return !isBlank(u) && !(mergeRepeated && path[u] == path[u - 2]);
  }

  private void forward() {
    int places = path.length;
    Arrays.fill(alpha, LogArithmetic.ZERO);
    alpha[0] = log(0, 0);
    if (places > 1) {
      alpha[1] = log(1, 0);
    }
    for (int t = 1; t < steps; t++) {
      stop.check();
      int before = (t - 1) * places;
      for (int u = first(t); u < end(t); u++) {
        double sum = mergeRepeated || isBlank(u) ? alpha[before + u] : LogArithmetic.ZERO;
        if (u > 0) {
          sum = arithmetic.sum(sum, alpha[before + u - 1]);
        }
        if (u > 1 && isSkippable(u)) {
          sum = arithmetic.sum(sum, alpha[before + u - 2]);
        }
        alpha[t * places + u] = arithmetic.round(log(u, t) + sum);
      }
    }
  }

  private void backward() {
    int places = path.length;
    Arrays.fill(beta, LogArithmetic.ZERO);
    // A path without labels has one place; TensorFlow then sets the end of the step before, too.
    for (int i = Math.max(0, beta.length - 2); i < beta.length; i++) {
      beta[i] = 0;
    }
    for (int t = steps - 2; t >= 0; t--) {
      stop.check();
      for (int u = first(t); u < end(t); u++) {
        double sum = beta[t * places + u];
        if (mergeRepeated || isBlank(u)) {
          sum = arithmetic.sum(sum, next(u, t));
        }
        if (u + 1 < places) {
          sum = arithmetic.sum(sum, next(u + 1, t));
        }
        if (u + 2 < places && !isBlank(u) && isSkippable(u + 2)) {
          sum = arithmetic.sum(sum, next(u + 2, t));
        }
        beta[t * places + u] = sum;
      }
    }
  }

  /** The backward variable of place {@code u} at the step after {@code t}, with its output. */
  private double next(int u, int t) {
    return arithmetic.round(beta[(t + 1) * path.length + u] + log(u, t + 1));
  }

  /** The gradient of the loss by the logits, a row for each time step. */
  double[] gradient() {
    if (logLikelihood == LogArithmetic.ZERO) {
      return probabilities; // no path has a probability
    }
    double[] sums = new double[classes];
    for (int t = 0; t < steps; t++) {
      stop.check();
      Arrays.fill(sums, LogArithmetic.ZERO);
      for (int u = 0; u < path.length; u++) {
        int at = t * path.length + u;
        sums[path[u]] = arithmetic.sum(sums[path[u]], arithmetic.round(alpha[at] + beta[at]));
      }
      for (int c = 0; c < classes; c++) {
        double share = LogArithmetic.expOfFloat(arithmetic.round(sums[c] - logLikelihood));
        probabilities[t * classes + c] = arithmetic.round(probabilities[t * classes + c] - share);
      }
    }
    return probabilities;
  }
}
