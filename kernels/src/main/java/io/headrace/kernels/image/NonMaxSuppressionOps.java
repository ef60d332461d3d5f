package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * NonMaxSuppression and its versions V2 to V5, and NonMaxSuppressionWithOverlaps; {@link
 * NonMaxSuppression} is the algorithm.
 */
final class NonMaxSuppressionOps {
  private static final String TYPES = "T: {half, float} = float";
  private static final String THRESHOLD = "T_threshold: {half, float} = float";
  private static final String PAD = "pad_to_max_output_size: bool = false";
  private static final String INPUTS = "(boxes: T, scores: T, max_output_size: int32, ";

  private NonMaxSuppressionOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "NonMaxSuppression(boxes: float, scores: float, max_output_size: int32)"
                    + " -> selected_indices: int32")
            .attrs("iou_threshold: float = 0.5")
            .shape(in -> infer(in, 3))
            .kernel(NonMaxSuppressionOps::kernel),
        Op.define(
                "NonMaxSuppressionV2"
                    + INPUTS
                    + "iou_threshold: T_threshold) -> selected_indices: int32")
            .attrs(TYPES, THRESHOLD)
            .shape(in -> infer(in, 4))
            .kernel(NonMaxSuppressionOps::kernel),
        Op.define(
                "NonMaxSuppressionV3"
                    + INPUTS
                    + "iou_threshold: T_threshold, score_threshold: T_threshold)"
                    + " -> selected_indices: int32")
            .attrs(TYPES, THRESHOLD)
            .shape(in -> infer(in, 5))
            .kernel(NonMaxSuppressionOps::kernel),
        Op.define(
                "NonMaxSuppressionV4"
                    + INPUTS
                    + "iou_threshold: T_threshold, score_threshold: T_threshold)"
                    + " -> (selected_indices: int32, valid_outputs: int32)")
            .attrs(TYPES, THRESHOLD, PAD)
            .shape(in -> inferPadded(in, 5))
            .kernel(NonMaxSuppressionOps::kernel),
        Op.define(
                "NonMaxSuppressionV5"
                    + INPUTS
                    + "iou_threshold: T, score_threshold: T, soft_nms_sigma: T)"
                    + " -> (selected_indices: int32, selected_scores: T, valid_outputs: int32)")
            .attrs(TYPES, PAD)
            .shape(in -> inferPadded(in, 6))
            .kernel(NonMaxSuppressionOps::kernel),
        Op.define(
                "NonMaxSuppressionWithOverlaps(overlaps: float, scores: float,"
                    + " max_output_size: int32, overlap_threshold: float, score_threshold: float)"
                    + " -> selected_indices: int32")
            .shape(NonMaxSuppressionOps::inferOverlaps)
            .stateless(NonMaxSuppressionOps::withOverlaps));
  }

  private static List<Shape> inferOverlaps(ShapeFunction.Inputs in) {
    Shape overlaps = Shapes.withRank(in.shape(0), 2);
    Shape scores = Shapes.withRank(in.shape(1), 1);
    for (int i = 2; i < 5; i++) {
      Shapes.withRank(in.shape(i), 0);
    }
    Shapes.mergeSize(overlaps.size(0), scores.size(0));
    Shapes.mergeSize(overlaps.size(0), overlaps.size(1));
    return List.of(Shape.of(-1));
  }

  private static void withOverlaps(KernelCall call) {
    int max = maxOutputSize(call.input(2));
    float threshold = scalar(call, 3, "overlap_threshold", DataType.FLOAT32);
    float scoreThreshold = scalar(call, 4, "score_threshold", DataType.FLOAT32);
    Shape shape = call.input(0).shape();
    if (shape.rank() != 2) {
      throw invalidArgument("overlaps must be 2-D%s", shape);
    }
    if (shape.size(0) != shape.size(1)) {
      throw invalidArgument("overlaps must be square%s", shape);
    }
    int boxes = (int) shape.size(0);
    checkScores(call.input(1).shape(), boxes);
    checkMax(max);
    float[] overlaps = call.input(0).floats();
    NonMaxSuppression suppression =
        new NonMaxSuppression(
            call.input(1).floats(), (i, j) -> overlaps[i * boxes + j], threshold, scoreThreshold);
    suppression.run(max, call.cancellation());
    setOutputs(call, 1, suppression, -1);
  }

  private static List<Shape> infer(ShapeFunction.Inputs in, int inputs) {
    Shape boxes = Shapes.withRank(in.shape(0), 2);
    Shape scores = Shapes.withRank(in.shape(1), 1);
    Shapes.mergeSize(boxes.size(0), scores.size(0));
    Shapes.mergeSize(boxes.size(1), 4);
    for (int i = 2; i < inputs; i++) {
      Shapes.withRank(in.shape(i), 0);
    }
    return List.of(Shape.of(-1));
  }

  private static List<Shape> inferPadded(ShapeFunction.Inputs in, int inputs) {
    infer(in, inputs);
    OptionalLong max = Shapes.constantScalar(in, 2);
    boolean pads = in.attrs().bool("pad_to_max_output_size");
    Shape selected = Shape.of(pads ? max.orElse(-1) : -1);
    return inputs == 6
        ? List.of(selected, selected, Shape.SCALAR)
        : List.of(selected, Shape.SCALAR);
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    boolean pads =
        node.attrs().has("pad_to_max_output_size") && node.attrs().bool("pad_to_max_output_size");
    boolean isAttr = node.attrs().has("iou_threshold");
    float thresholdAttr = isAttr ? node.attrs().floating("iou_threshold") : 0;
    return call -> {
      DataType dtype = call.input(0).dtype();
      int max = maxOutputSize(call.input(2));
      float iouThreshold = isAttr ? thresholdAttr : scalar(call, 3, "iou_threshold", dtype);
      if (!(iouThreshold >= 0 && iouThreshold <= 1)) {
        throw invalidArgument("iou_threshold must be in [0, 1]");
      }
      float lowest = dtype == DataType.FLOAT16 ? -65504f : -Float.MAX_VALUE;
      float scoreThreshold = call.inputs() > 4 ? scalar(call, 4, "score_threshold", dtype) : lowest;
      float sigma = call.inputs() > 5 ? scalar(call, 5, "soft_nms_sigma", dtype) : 0;
      if (!(sigma >= 0)) {
        throw invalidArgument("soft_nms_sigma_val must be >= 0");
      }
      checkBoxes(call.input(0).shape(), call.input(1).shape());
      checkMax(max);
      NonMaxSuppression suppression =
          new NonMaxSuppression(call.input(0), call.input(1), iouThreshold, scoreThreshold, sigma);
      suppression.run(max, call.cancellation());
      setOutputs(call, node.outputTypes().size(), suppression, pads ? max : -1);
    };
  }

  private static int maxOutputSize(Tensor size) {
    if (size.shape().rank() != 0) {
      throw invalidArgument("max_output_size must be 0-D, got shape %s", size.shape());
    }
    return (int) size.integer(0);
  }

  private static float scalar(KernelCall call, int input, String name, DataType dtype) {
    Tensor value = call.input(input);
    if (value.shape().rank() != 0) {
      throw invalidArgument("%s must be 0-D, got shape %s", name, value.shape());
    }
    float number =
        (float)
            NumericElements.floating(
                value.dtype(), TensorMemory.array(value), TensorMemory.offset(value));
    return NonMaxSuppression.round(number, dtype);
  }

  private static void checkBoxes(Shape boxes, Shape scores) {
    if (boxes.rank() != 2) {
      throw invalidArgument(
          "boxes must be 2-D%s (Shape must be rank 2 but is rank %d)", boxes, boxes.rank());
    }
    if (boxes.size(1) != 4) {
      throw invalidArgument(
          "boxes must have 4 columns (Dimension must be 4 but is %d)", boxes.size(1));
    }
    checkScores(scores, boxes.size(0));
  }

  private static void checkScores(Shape scores, long boxes) {
    if (scores.rank() != 1) {
      throw invalidArgument(
          "scores must be 1-D%s (Shape must be rank 1 but is rank %d)", scores, scores.rank());
    }
    if (scores.size(0) != boxes) {
      throw invalidArgument(
          "scores has incompatible shape (Dimensions must be equal, but are %d and %d)",
          boxes, scores.size(0));
    }
  }

  private static void checkMax(int max) {
    if (max < 0) {
      throw invalidArgument("output size must be non-negative");
    }
  }

  private static void setOutputs(
      KernelCall call, int outputs, NonMaxSuppression suppression, int padded) {
    List<Integer> selected = suppression.selected();
    int size = padded < 0 ? selected.size() : padded;
    int[] indices = Arrays.copyOf(selected.stream().mapToInt(Integer::intValue).toArray(), size);
    call.setOutput(0, Tensor.vector(indices));
    if (outputs == 3) {
      DataType dtype = call.input(1).dtype();
      Object scores = dtype.kind().newArray(size);
      List<Float> selectedScores = new ArrayList<>(suppression.scores());
      for (int i = 0; i < selected.size(); i++) {
        NumericElements.setFloating(dtype, scores, i, selectedScores.get(i));
      }
      call.setOutput(1, Tensor.wrap(dtype, Shape.of(size), scores));
    }
    if (outputs > 1) {
      call.setOutput(outputs - 1, Tensor.scalar(selected.size()));
    }
  }
}
