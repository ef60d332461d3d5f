package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import java.util.Map;

/**
 * Gradients of ops between real and complex numbers, and of Fourier transforms. The gradient of a
 * complex number has the derivatives by its parts as parts.
 */
final class ComplexGradients {
  private ComplexGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("Real", at -> first(at, complex(at, at.dy(), at.zerosLike(at.dy()))));
    rules.put("Imag", at -> first(at, complex(at, at.zerosLike(at.dy()), at.dy())));
    rules.put("Conj", at -> first(at, at.conjugate(at.dy())));
    rules.put(
        "Complex", at -> at.unbroadcast(part(at, "Real", at.dy()), part(at, "Imag", at.dy())));
    rules.put("ComplexAbs", at -> first(at, ofSize(at)));
    rules.put("Angle", at -> first(at, ofAngle(at)));
    rules.put(
        "ConjugateTranspose",
        at ->
            first(
                at,
                at.binary("ConjugateTranspose", at.dy(), at.unary("InvertPermutation", at.x(1)))));
    rules.put("FFT", at -> first(at, at.unary("IFFT", at.dy()).mul(length(at))));
    rules.put("IFFT", at -> first(at, at.unary("FFT", at.dy()).div(length(at))));
  }

  private static Output complex(BackpropContext at, Output real, Output imaginary) {
    return at.op("Complex")
        .input(real)
        .input(imaginary)
        .attr("Tout", real.dtype().complexType())
        .build();
  }

  private static Output part(BackpropContext at, String op, Output z) {
    return at.op(op).input(z).attr("Tout", z.dtype().partType()).build();
  }

  private static Output widened(BackpropContext at, Output real) {
    return complex(at, real, at.zerosLike(real));
  }

  /** In the direction of the number; 0 for 0. */
  private static Output ofSize(BackpropContext at) {
    Output along = widened(at, at.dy()).mul(at.x(0));
    return at.binary("DivNoNan", along, widened(at, at.y()));
  }

  private static Output ofAngle(BackpropContext at) {
    Output z = at.x(0);
    Output turned = complex(at, part(at, "Imag", z), part(at, "Real", z));
    return widened(at, at.dy()).neg().mul(at.unary("Reciprocal", turned));
  }

  /** The number of elements along the last dimension, as a complex scalar. */
  private static Output length(BackpropContext at) {
    Output size = at.unary("Shape", at.x(0)).at(-1);
    return size.cast(DataType.FLOAT64).cast(at.dy().dtype());
  }
}
