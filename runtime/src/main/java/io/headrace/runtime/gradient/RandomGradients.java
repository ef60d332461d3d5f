package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gradients of random numbers by the parameters of their distributions, by implicit differentiation
 * (M. Figurnov et al., Implicit Reparameterization Gradients, 2018).
 */
final class RandomGradients {
  private RandomGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("RandomGamma", at -> gamma(at, 1));
    rules.put("StatelessRandomGammaV2", at -> gamma(at, 2));
    rules.put("StatelessRandomGammaV3", at -> gamma(at, 4));
  }

  /** The gradient of gamma samples by input {@code index}, the shapes of their distributions. */
  private static List<@Nullable Output> gamma(BackpropContext at, int index) {
    Output alpha = at.x(index);
    Output partial = at.binary("RandomGammaGrad", alpha, at.y());
    @Nullable Output[] gradients = new Output[at.inputs()];
    gradients[index] = at.binary("Sum", at.dy().mul(partial), sampleAxes(at, alpha));
    return Arrays.asList(gradients);
  }

  /** The leading axes of the samples, along which a parameter is the same. */
  private static Output sampleAxes(BackpropContext at, Output parameter) {
    Output count = at.unary("Rank", at.y()).sub(at.unary("Rank", parameter));
    return at.op("Range")
        .input(at.constant(Tensor.scalar(0)))
        .input(count)
        .input(at.constant(Tensor.scalar(1)))
        .build();
  }
}
