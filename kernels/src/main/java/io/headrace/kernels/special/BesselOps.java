package io.headrace.kernels.special;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * BesselI0, BesselI1, BesselJ0, BesselJ1, BesselK0, BesselK1, BesselY0 and BesselY1, with the
 * exponentially scaled BesselI0e, BesselI1e, BesselK0e and BesselK1e.
 */
final class BesselOps {
  static final List<Op> OPS =
      List.of(
          bessel("BesselI0e", ModifiedBessel::i0e),
          bessel("BesselI1e", ModifiedBessel::i1e),
          bessel("BesselI0", ModifiedBessel::i0, x -> grown(x, ModifiedBessel.i0e(x))),
          bessel("BesselI1", ModifiedBessel::i1, x -> grown(x, ModifiedBessel.i1e(x))),
          bessel("BesselK0e", ModifiedBessel::k0e),
          bessel("BesselK1e", ModifiedBessel::k1e),
          bessel("BesselK0", ModifiedBessel::k0),
          bessel("BesselK1", ModifiedBessel::k1),
          bessel("BesselJ0", BesselFunctions::j0),
          bessel("BesselJ1", BesselFunctions::j1),
          bessel("BesselY0", BesselFunctions::y0),
          bessel("BesselY1", BesselFunctions::y1, BesselOps::y1OfFloat));

  private BesselOps() {}

  private static Op bessel(String name, DoubleUnaryOperator function) {
    return bessel(name, function, function);
  }

  private static Op bessel(String name, DoubleUnaryOperator wide, DoubleUnaryOperator narrow) {
    return FunctionDeclarations.unary(name, "{half, float, double}", wide, narrow);
  }

  /** {@code scaled} times e^|x|, which is infinite where it is too large for a float. */
  private static double grown(double x, double scaled) {
    return (float) Math.exp(Math.abs(x)) * scaled;
  }

  /** TensorFlow's function of floats is NaN at 0, not infinite. */
  private static double y1OfFloat(double x) {
    return x == 0 ? Double.NaN : BesselFunctions.y1(x);
  }
}
