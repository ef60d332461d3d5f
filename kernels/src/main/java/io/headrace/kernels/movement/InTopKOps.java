package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** InTopK and InTopKV2: whether the target class has one of the k highest predictions. */
final class InTopKOps {
  private InTopKOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("InTopK(predictions: float, targets: T) -> precision: bool")
            .attrs("k: int", "T: {int32, int64} = int32")
            .shape(InTopKOps::rule)
            .kernel(
                RowKernel.made(node -> {
                  long k = node.attrs().integer("k");
                  return rows -> inTopK(rows, k);
                })),
        Op.define("InTopKV2(predictions: float, targets: T, k: T) -> precision: bool")
            .attrs("T: {int32, int64} = int32")
            .shape(InTopKOps::rule)
            .kernel(
                RowKernel.of(rows -> {
                  Tensor k = rows.same(2);
                  if (k == null) {
                    return false;
                  }
                  if (k.shape().rank() != 0) {
                    throw invalidArgument("k must be 0-D, got shape %s", k.shape());
                  }
                  return inTopK(rows, k.integer(0));
                })));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape predictions = Shapes.withRank(in.shape(0), 2);
    Shape targets = Shapes.withRank(in.shape(1), 1);
    if (in.count() > 2) {
      Shapes.withRank(in.shape(2), 0);
    }
    return List.of(Shape.of(Shapes.mergeSize(predictions.size(0), targets.size(0))));
  }

  private static boolean inTopK(Rows rows, long k) {
    Shape predictions = rows.shape(0);
    Shape targets = rows.shape(1);
    if (predictions.rank() != 2) {
      throw invalidArgument("predictions must be 2-dimensional");
    }
    if (targets.rank() != 1) {
      throw invalidArgument("targets must be 1-dimensional");
    }
    if (predictions.size(0) != targets.size(0)) {
      throw invalidArgument(
          "First dimension of predictions %d must match length of targets %d",
          predictions.size(0), targets.size(0));
    }
    byte[] answers = (byte[]) rows.allocate(DataType.BOOL, targets);
    int lines = (int) targets.size(0);
    int classes = (int) predictions.size(1);
    for (int i = 0; i < answers.length; i++) {
      rows.cancellation().check();
      Tensor scores = rows.row(0, i / lines);
      long target = rows.row(1, i / lines).integer(i % lines);
      int from = TensorMemory.offset(scores) + i % lines * classes;
      answers[i] =
          (byte) (isAmong((float[]) TensorMemory.array(scores), from, classes, target, k) ? 1 : 0);
    }
    rows.set(0, DataType.BOOL, targets, answers);
    return true;
  }

  /** Whether fewer than {@code k} classes have a higher score; false if a score is not finite. */
  private static boolean isAmong(float[] scores, int from, int classes, long target, long k) {
    if (target < 0 || target >= classes) {
      return false;
    }
    float score = scores[from + (int) target];
    int likelier = 0;
    for (int i = from; i < from + classes; i++) {
      if (!Float.isFinite(scores[i])) {
        return false;
      }
      likelier += scores[i] > score ? 1 : 0;
      if (likelier > k) {
        break; // as in TensorFlow, later scores are not checked for being finite
      }
    }
    return Float.isFinite(score) && likelier < k;
  }
}
