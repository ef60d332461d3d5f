package io.headrace.kernels.special;

import static io.headrace.kernels.special.FunctionDeclarations.binary;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Dawsn, Erfinv, Expint, FresnelCos, FresnelSin, Ndtri and Spence of one number; Igamma, Igammac,
 * IgammaGradA, NextAfter, Polygamma, RandomGammaGrad and Zeta of two.
 */
final class SpecialFunctionOps {
  /** The remark of functions whose results TensorFlow rounds at each step. */
  static final String EXACT_FLOATS =
      "Floats are computed in double precision: more exact than TensorFlow's.";

  private static final String TYPES = "{float, double}";
  private static final String TYPE = "T: " + TYPES;

  static final List<Op> OPS =
      List.of(
          unary("Dawsn", DawsonIntegral::of),
          unary("Expint", ExponentialIntegral::of),
          unary("FresnelCos", FresnelIntegrals::cos),
          unary("FresnelSin", FresnelIntegrals::sin),
          unary("Spence", SpenceIntegral::of),
          unary("Ndtri", NormalQuantile::of),
          FunctionDeclarations.unary(
              "Erfinv", TYPES, NormalQuantile::erfinv, NormalQuantile::erfinvOfFloat),
          binary(
              "Igamma(a: T, x: T) -> z: T",
              TYPE,
              EXACT_FLOATS,
              IncompleteGamma.OF_DOUBLES::lower,
              IncompleteGamma.OF_FLOATS::lower),
          binary(
              "Igammac(a: T, x: T) -> z: T",
              TYPE,
              EXACT_FLOATS,
              IncompleteGamma.OF_DOUBLES::upper,
              IncompleteGamma.OF_FLOATS::upper),
          binary(
              "IgammaGradA(a: T, x: T) -> z: T",
              TYPE,
              EXACT_FLOATS,
              IncompleteGamma.OF_DOUBLES::lowerByShape,
              IncompleteGamma.OF_FLOATS::lowerByShape),
          binary(
              "RandomGammaGrad(alpha: T, sample: T) -> output: T",
              TYPE,
              EXACT_FLOATS,
              IncompleteGamma.OF_DOUBLES::sampleByShape,
              IncompleteGamma.OF_FLOATS::sampleByShape),
          binary("Zeta(x: T, q: T) -> z: T", TYPE, EXACT_FLOATS, HurwitzZeta::of, HurwitzZeta::of),
          binary(
              "Polygamma(a: T, x: T) -> z: T",
              TYPE,
              EXACT_FLOATS,
              HurwitzZeta::polygamma,
              HurwitzZeta::polygammaOfFloats),
          binary(
              "NextAfter(x1: T, x2: T) -> output: T",
              "T: {double, float} = float",
              "",
              Math::nextAfter,
              (x, to) -> Math.nextAfter((float) x, to)));

  private SpecialFunctionOps() {}

  private static Op unary(String name, DoubleUnaryOperator function) {
    return FunctionDeclarations.unary(name, TYPES, function, function);
  }
}
