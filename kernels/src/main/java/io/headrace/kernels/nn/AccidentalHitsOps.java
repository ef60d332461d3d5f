package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.KeyIndex;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** ComputeAccidentalHits: the sampled candidates that are true classes, to be masked in a loss. */
final class AccidentalHitsOps {
  private AccidentalHitsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64)"
                    + " -> (indices: int32, ids: int64, weights: float)")
            .attrs("num_true: int", "seed: int = 0", "seed2: int = 0")
            .shape(AccidentalHitsOps::rule)
            .kernel(AccidentalHitsOps::kernel));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    return Collections.nCopies(3, Shape.of(Shape.UNKNOWN_DIMENSION));
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    long columns = node.attrs().integer("num_true");
    return call -> {
      Tensor classes = call.input(0);
      Tensor candidates = call.input(1);
      if (classes.shape().rank() != 2 || classes.shape().size(1) != columns) {
        throw invalidArgument("true_candidates must be a batch_size * num_true matrix");
      }
      if (candidates.shape().rank() != 1) {
        throw invalidArgument(
            "sampled_candidates must be a vector, which is typically an output from"
                + " CandidateSampler");
      }
      int[] hits = hits(classes, candidates);
      int count = (int) Arrays.stream(hits).filter(hit -> hit >= 0).count();
      int[] indices = new int[count];
      long[] ids = new long[count];
      float[] weights = new float[count];
      Arrays.fill(weights, -Float.MAX_VALUE);
      int at = 0;
      for (int i = 0; i < hits.length; i++) {
        if (hits[i] >= 0) {
          indices[at] = (int) (i / columns);
          ids[at++] = hits[i];
        }
      }
      Shape shape = Shape.of(count);
      call.setOutput(0, Tensor.wrap(DataType.INT32, shape, indices));
      call.setOutput(1, Tensor.wrap(DataType.INT64, shape, ids));
      call.setOutput(2, Tensor.wrap(DataType.FLOAT32, shape, weights));
    };
  }

  /** The last position of each of {@code classes} among the candidates, or -1. */
  private static int[] hits(Tensor classes, Tensor candidates) {
    KeyIndex index = KeyIndex.of(DataType.INT64);
    long[] sampled = candidates.integers();
    int[] positions = new int[sampled.length];
    for (int i = 0; i < sampled.length; i++) {
      positions[index.put(sampled, i)] = i;
    }
    long[] wanted = classes.integers();
    int[] hits = new int[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      int number = index.find(wanted, i);
      hits[i] = number < 0 ? -1 : positions[number];
    }
    return hits;
  }
}
