package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * WeightedFlatMapDataset: the first elements of several datasets, one dataset after the other, as
 * many of each as its weight says, until one of them is used up.
 */
public final class WeightedFlatMapDataset {
  public static final Op OP =
      DatasetOp.of(
          "WeightedFlatMapDataset(input_datasets: N * variant, weights: M * double)",
          WeightedFlatMapDataset::of,
          "N: int",
          "M: int");

  private WeightedFlatMapDataset() {}

  private static DatasetValue of(OpArguments in) {
    List<DatasetValue> inputs = in.datasets("input_datasets");
    List<Double> weights = weights(in, inputs.size());
    check(in, inputs);
    List<Long> counts = counts(inputs.stream().map(DatasetValue::cardinality).toList(), weights);
    DatasetValue joined = new TakeDataset(inputs.getFirst(), counts.getFirst());
    for (int i = 1; i < inputs.size(); i++) {
      DatasetValue next = new TakeDataset(inputs.get(i), counts.get(i));
      joined =
          new ConcatenateDataset(
              joined, next, ElementSpec.common(joined.outputShapes(), next.outputShapes()));
    }
    return joined;
  }

  private static List<Double> weights(OpArguments in, int inputs) {
    List<Tensor> given = in.tensors("weights");
    if (given.size() != inputs) {
      throw in.invalid(
          "`input_datasets` and `weights` of the WeightedFlatMap must have the same size. Got %d"
              + " datasets and %d weights.",
          inputs, given.size());
    }
    List<Double> weights = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      Tensor weight = given.get(i);
      if (weight.dtype() != DataType.FLOAT64 || weight.shape().rank() != 0) {
        throw in.invalid("`weights` must be scalars, and one is %s", weight.typeAndShape());
      }
      double value = weight.compact().doubles()[0];
      if (!(value > 0)) {
        throw in.invalid(
            "`weights` must be greater than 0.0. Input %d has a weight of %s", i, value);
      }
      weights.add(value);
    }
    return weights;
  }

  private static void check(OpArguments in, List<DatasetValue> inputs) {
    for (int i = 0; i < inputs.size(); i++) {
      DatasetValue input = inputs.get(i);
      if (!input.outputTypes().equals(inputs.getFirst().outputTypes())) {
        throw in.invalid(
            "All inputs to WeightedFlatMap must have the same output types. Input %d has output"
                + " types: %s. Expected: %s.",
            i,
            ElementSpec.names(input.outputTypes()),
            ElementSpec.names(inputs.getFirst().outputTypes()));
      }
      if (input.cardinality() < 0) {
        throw in.invalid(
            "Cardinalities of the inputs must be known. Input %d has %s cardinality.",
            i, input.cardinality() == DatasetValue.INFINITE ? "INFINITE" : "UNKNOWN");
      }
    }
  }

  /** The numbers of elements in proportion to {@code weights}, the largest that the inputs have. */
  private static List<Long> counts(List<Long> cardinalities, List<Double> weights) {
    double heaviest = weights.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    double fewest = Double.MAX_VALUE;
    int limiting = 0;
    for (int i = 0; i < weights.size(); i++) {
      double scaled = cardinalities.get(i) * weights.get(i) / heaviest;
      if (fewest > scaled) {
        fewest = scaled;
        limiting = i;
      }
    }
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      long count = (long) (fewest * weights.get(i) / weights.get(limiting));
      if (count > cardinalities.get(i)) {
        throw StatusException.invalidArgument(
            "Input %d needs to have at least %d elements. It only has %d elements.",
            i, count, cardinalities.get(i));
      }
      counts.add(count);
    }
    return counts;
  }
}
