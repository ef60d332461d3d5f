package io.headrace.kernels.nn;

import io.headrace.kernels.random.LibcMath;
import io.headrace.runtime.tensor.DataType;

/**
 * Arithmetic with logarithms of probabilities, each result rounded to the precision of the tensors,
 * as TensorFlow computes CTC. Near ties between labels depend on it.
 */
enum LogArithmetic {
  SINGLE {
    @Override
    double round(double x) {
      return (float) x;
    }

    @Override
    double log(double x) {
      return LibcMath.log((float) x);
    }

    @Override
    double exp(double x) {
      return LibcMath.exp((float) x);
    }
  },
  DOUBLE {
    @Override
    double round(double x) {
      return x;
    }

    @Override
    double log(double x) {
      return LibcMath.log(x);
    }

    @Override
    double exp(double x) {
      return LibcMath.exp(x);
    }
  };

  /** The logarithm of probability 0. */
  static final double ZERO = Double.NEGATIVE_INFINITY;

  static LogArithmetic of(DataType dtype) {
    return dtype == DataType.FLOAT32 ? SINGLE : DOUBLE;
  }

  /** The nearest number of this precision. */
  abstract double round(double x);

  abstract double log(double x);

  abstract double exp(double x);

  /** The exponential function, of floats even where the tensors are double, as in TensorFlow. */
  static float expOfFloat(double x) {
    return LibcMath.exp((float) x);
  }

  /** The logarithm of the sum of two probabilities, of which {@code a} and {@code b} are those. */
  double sum(double a, double b) {
    if (a == ZERO) {
      return b;
    }
    if (b == ZERO) {
      return a;
    }
    double more = Math.max(a, b);
    return round(more + LibcMath.log1p(expOfFloat(round(Math.min(a, b) - more))));
  }
}
