package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * CombinedNonMaxSuppression: non-maximum suppression for each class of each image of a batch, and
 * the best boxes of all classes of an image.
 */
final class CombinedNonMaxSuppressionOps {
  private static final String TIES =
      "Boxes of equal scores come in the order of their classes and indices; TensorFlow sorts them"
          + " unstably.";

  /** The inputs that must be scalars, from {@link #FIRST_SCALAR} on, as messages call them. */
  private static final String[] SCALARS = {
    "max_size_per_class", "max_total_size", "iou_threshold", "score_threshold"
  };

  private static final int FIRST_SCALAR = 2;

  private final boolean padPerClass;
  private final boolean clipBoxes;

  private CombinedNonMaxSuppressionOps(NodeSpec node) {
    this.padPerClass = node.attrs().bool("pad_per_class");
    this.clipBoxes = node.attrs().bool("clip_boxes");
  }

  static List<Op> ops() {
    return List.of(
        Op.define(
                "CombinedNonMaxSuppression(boxes: float, scores: float,"
                    + " max_output_size_per_class: int32, max_total_size: int32,"
                    + " iou_threshold: float, score_threshold: float)"
                    + " -> (nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float,"
                    + " valid_detections: int32)")
            .attrs("pad_per_class: bool = false", "clip_boxes: bool = true")
            .shape(CombinedNonMaxSuppressionOps::infer)
            .remark(TIES)
            .kernel(node -> new CombinedNonMaxSuppressionOps(node)::compute));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shape boxes = Shapes.withRank(in.shape(0), 4);
    Shape scores = Shapes.withRank(in.shape(1), 3);
    for (int i = FIRST_SCALAR; i < FIRST_SCALAR + SCALARS.length; i++) {
      Shapes.withRank(in.shape(i), 0);
    }
    Shapes.mergeSize(boxes.size(0), scores.size(0));
    Shapes.mergeSize(boxes.size(1), scores.size(1));
    Shapes.mergeSize(boxes.size(3), 4);
    long classes = scores.size(2);
    if (boxes.size(2) >= 0 && classes >= 0 && boxes.size(2) != 1 && boxes.size(2) != classes) {
      throw invalidArgument(
          "third dimension of boxes must be either 1 or equal to the third dimension of scores");
    }
    long size = outputSize(in, classes);
    Shape each = Shape.of(boxes.size(0), size);
    return List.of(Shape.of(boxes.size(0), size, 4), each, each, Shape.of(boxes.size(0)));
  }

  private static long outputSize(ShapeFunction.Inputs in, long classes) {
    OptionalLong total = Shapes.constantScalar(in, 3);
    OptionalLong perClass = Shapes.constantScalar(in, 2);
    if (total.isPresent() && total.getAsLong() <= 0) {
      throw invalidArgument("max_total_size should be > 0 ");
    }
    if (!in.attrs().bool("pad_per_class")) {
      return total.orElse(Shape.UNKNOWN_DIMENSION);
    }
    if (perClass.isPresent() && perClass.getAsLong() <= 0) {
      throw invalidArgument(
          "max_output_size_per_class must be > 0 if pad_per_class is set to true ");
    }
    return perClass.isPresent() && classes >= 0
        ? Math.min(total.orElse(Shape.UNKNOWN_DIMENSION), perClass.getAsLong() * classes)
        : Shape.UNKNOWN_DIMENSION;
  }

  private static void check(Shape boxes, Shape scores) {
    if (boxes.rank() > 0 && scores.rank() > 0 && boxes.size(0) != scores.size(0)) {
      throw invalidArgument("boxes and scores must have same batch size");
    }
    if (boxes.rank() != 4) {
      throw invalidArgument("boxes must be 4-D [batch, num_boxes, q, 4], got shape %s", boxes);
    }
    if (scores.rank() != 3) {
      throw invalidArgument(
          "scores must be 3-D [batch, num_boxes, num_classes], got shape %s", scores);
    }
    if (boxes.size(2) != 1 && boxes.size(2) != scores.size(2)) {
      throw invalidArgument("third dimension of boxes must be either 1 or num classes");
    }
    if (boxes.size(3) != 4) {
      throw invalidArgument("boxes must have 4 columns");
    }
    if (scores.size(1) != boxes.size(1)) {
      throw invalidArgument("scores has incompatible shape");
    }
  }

  private static Tensor scalar(KernelCall call, int input) {
    Tensor value = call.input(input);
    if (value.shape().rank() != 0) {
      throw invalidArgument(
          "%s must be 0-D, got shape %s", SCALARS[input - FIRST_SCALAR], value.shape());
    }
    return value;
  }

  private static long size(KernelCall call, int input, String message) {
    long size = scalar(call, input).integer(0);
    if (size <= 0) {
      throw invalidArgument("%s", message);
    }
    return size;
  }

  private void compute(KernelCall call) {
    Shape boxes = call.input(0).shape();
    Shape scores = call.input(1).shape();
    check(boxes, scores);
    long perClass = size(call, 2, "max_size_per_class must be positive");
    long total = size(call, 3, "max_total_size must be > 0");
    float iouThreshold = scalar(call, 4).floats()[0];
    float scoreThreshold = scalar(call, 5).floats()[0];
    if (!(iouThreshold >= 0 && iouThreshold <= 1)) {
      throw invalidArgument("iou_threshold must be in [0, 1]");
    }
    int images = (int) boxes.size(0);
    long rows = padPerClass ? Math.min(total, perClass * scores.size(2)) : total;
    Detections out = new Detections(images, rows, clipBoxes);
    for (int image = 0; image < images; image++) {
      Image one = new Image(call, image);
      List<Detection> found = new ArrayList<>();
      for (int c = 0; c < scores.size(2); c++) {
        NonMaxSuppression suppression = one.suppression(c, iouThreshold, scoreThreshold);
        suppression.run((int) Math.min(perClass, boxes.size(1)), call.cancellation());
        for (int box : suppression.selected()) {
          found.add(one.detection(c, box));
        }
      }
      found.sort(Comparator.comparing(Detection::score, Comparator.reverseOrder()));
      out.set(image, found, one.corners);
    }
    out.setOutputs(call);
  }

  /**
   * A selected box.
   *
   * @param at the index of its first corner in those of its image
   */
  private record Detection(int classIndex, float score, int at) {}

  /** The boxes and scores of one image. */
  private static final class Image {
    private final float[] corners;
    private final float[] scores;
    private final int boxes;
    private final int variants;
    private final int classes;

    Image(KernelCall call, int index) {
      this.corners = call.input(0).row(index).floats();
      this.scores = call.input(1).row(index).floats();
      this.boxes = (int) call.input(0).shape().size(1);
      this.variants = (int) call.input(0).shape().size(2);
      this.classes = (int) call.input(1).shape().size(2);
    }

    NonMaxSuppression suppression(int classIndex, float iouThreshold, float scoreThreshold) {
      float[] own = new float[boxes];
      for (int i = 0; i < boxes; i++) {
        own[i] = scores[i * classes + classIndex];
      }
      return new NonMaxSuppression(
          own,
          (i, j) -> NonMaxSuppression.iou(corners, box(classIndex, i), box(classIndex, j)),
          iouThreshold,
          scoreThreshold);
    }

    private int box(int classIndex, int index) {
      return index * variants + (variants > 1 ? classIndex : 0);
    }

    Detection detection(int classIndex, int index) {
      float score = scores[index * classes + classIndex];
      return new Detection(classIndex, score, 4 * box(classIndex, index));
    }
  }

  /** The outputs, padded with zeros. */
  private static final class Detections {
    private final int rows;
    private final boolean clips;
    private final Shape shape;
    private final float[] boxes;
    private final float[] scores;
    private final float[] classes;
    private final int[] counts;

    Detections(int images, long rows, boolean clips) {
      this.shape = Shape.of(images, rows);
      this.boxes = (float[]) TensorLimit.allocate(DataType.FLOAT32, Shape.of(images, rows, 4));
      this.scores = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
      this.classes = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
      this.counts = new int[images];
      this.rows = (int) rows;
      this.clips = clips;
    }

    void set(int image, List<Detection> found, float[] corners) {
      counts[image] = Math.min(rows, found.size());
      for (int i = 0; i < counts[image]; i++) {
        Detection detection = found.get(i);
        int at = image * rows + i;
        scores[at] = detection.score;
        classes[at] = detection.classIndex;
        for (int k = 0; k < 4; k++) {
          boxes[4 * at + k] = clipped(corners[detection.at + k]);
        }
      }
    }

    private float clipped(float corner) {
      if (!clips) {
        return corner;
      }
      return corner > 1 ? 1 : corner < 0 ? 0 : corner;
    }

    void setOutputs(KernelCall call) {
      call.setOutput(0, Tensor.wrap(DataType.FLOAT32, Shapes.concat(shape, Shape.of(4)), boxes));
      call.setOutput(1, Tensor.wrap(DataType.FLOAT32, shape, scores));
      call.setOutput(2, Tensor.wrap(DataType.FLOAT32, shape, classes));
      call.setOutput(3, Tensor.vector(counts));
    }
  }
}
