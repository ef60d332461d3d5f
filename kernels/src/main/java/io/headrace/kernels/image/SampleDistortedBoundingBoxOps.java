package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.kernels.random.Philox;
import io.headrace.kernels.random.PhiloxStream;
import io.headrace.kernels.random.SharedPhilox;
import io.headrace.kernels.random.StatelessSeeds;
import io.headrace.runtime.op.Attrs;
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
import java.util.List;
import java.util.function.LongSupplier;

/**
 * SampleDistortedBoundingBox, its V2 and its stateless form: a random crop that covers enough of a
 * bounding box, equal bit for bit to TensorFlow's for the same seeds.
 */
final class SampleDistortedBoundingBoxOps {
  private static final String SIZE_TYPES = "T: {uint8, int8, int16, int32, int64}";
  private static final String ASPECTS =
      "aspect_ratio_range: list(float) = [0.75, 1.3300000429153442]";
  private static final String AREAS = "area_range: list(float) = [0.05000000074505806, 1.0]";
  private static final String ATTEMPTS = "max_attempts: int = 100";
  private static final String WITHOUT_BOXES = "use_image_if_no_bounding_boxes: bool = false";
  private static final String OUTPUTS = " -> (begin: T, size: T, bboxes: float)";

  /** Random samples that a stateful op reserves for each attempt. */
  private static final long SAMPLES_PER_ATTEMPT = 4;

  private static final int MAX_ATTEMPTS = 1 << 30;

  private final DistortedBoxSampler.Limits limits;
  private final int attempts;
  private final boolean imageIfNoBoxes;

  private SampleDistortedBoundingBoxOps(NodeSpec node) {
    Attrs attrs = node.attrs();
    if (attrs.has("min_object_covered")) {
      checkCovered(attrs.floating("min_object_covered"));
    }
    List<Float> aspects = attrs.floats("aspect_ratio_range");
    if (aspects.size() != 2) {
      throw invalidArgument("Aspect ratio range field must specify 2 dimensions");
    }
    if (!(aspects.get(0) > 0 && aspects.get(1) > 0)) {
      throw invalidArgument(
          "Aspect ratio range must be non-negative: [%s, %s]",
          TensorText.number(aspects.get(0), false), TensorText.number(aspects.get(1), false));
    }
    List<Float> areas = attrs.floats("area_range");
    checkAreas(areas);
    long max = attrs.integer("max_attempts");
    if (max <= 0) {
      throw invalidArgument("Max attempts must be non-negative: %d", max);
    }
    this.limits =
        new DistortedBoxSampler.Limits(aspects.get(0), aspects.get(1), areas.get(0), areas.get(1));
    this.attempts = (int) Math.min(max, MAX_ATTEMPTS);
    this.imageIfNoBoxes = attrs.bool("use_image_if_no_bounding_boxes");
  }

  private static void checkAreas(List<Float> areas) {
    if (areas.size() != 2) {
      throw invalidArgument("Area range field must specify 2 dimensions");
    }
    if (!(areas.get(0) > 0 && areas.get(1) > 0)) {
      throw invalidArgument("Area range must be non-negative: %s", areas);
    }
    if (!(areas.get(0) <= 1 && areas.get(1) <= 1)) {
      throw invalidArgument("Area range must be less then or equal to 1.0: %s", areas);
    }
  }

  private static void checkCovered(float covered) {
    if (!(covered >= 0)) {
      throw invalidArgument(
          "Min object covered must be non-negative: %s", TensorText.number(covered, false));
    }
  }

  /** The ops; {@code entropy} seeds the generators of nodes without seed attrs. */
  static List<Op> ops(LongSupplier entropy) {
    return List.of(
        Op.define("SampleDistortedBoundingBox(image_size: T, bounding_boxes: float)" + OUTPUTS)
            .attrs(
                SIZE_TYPES,
                "seed: int = 0",
                "seed2: int = 0",
                "min_object_covered: float = 0.10000000149011612",
                ASPECTS,
                AREAS,
                ATTEMPTS,
                WITHOUT_BOXES)
            .stateful()
            .shape(SampleDistortedBoundingBoxOps::infer)
            .kernel(node -> stateful(node, entropy)),
        Op.define(
                "SampleDistortedBoundingBoxV2(image_size: T, bounding_boxes: float,"
                    + " min_object_covered: float)"
                    + OUTPUTS)
            .attrs(
                SIZE_TYPES,
                "seed: int = 0",
                "seed2: int = 0",
                ASPECTS,
                AREAS,
                ATTEMPTS,
                WITHOUT_BOXES)
            .stateful()
            .shape(SampleDistortedBoundingBoxOps::infer)
            .kernel(node -> stateful(node, entropy)),
        Op.define(
                "StatelessSampleDistortedBoundingBox(image_size: T, bounding_boxes: float,"
                    + " min_object_covered: float, seed: Tseed)"
                    + OUTPUTS)
            .attrs(SIZE_TYPES, "Tseed: {int32, int64}", ASPECTS, AREAS, ATTEMPTS, WITHOUT_BOXES)
            .shape(SampleDistortedBoundingBoxOps::infer)
            .kernel(node -> {
              SampleDistortedBoundingBoxOps op = new SampleDistortedBoundingBoxOps(node);
              return call -> op.compute(call, node, StatelessSeeds.scramble(call.input(3)));
            }));
  }

  private static Kernel.Sync stateful(NodeSpec node, LongSupplier entropy) {
    SampleDistortedBoundingBoxOps op = new SampleDistortedBoundingBoxOps(node);
    Attrs attrs = node.attrs();
    SharedPhilox generator =
        new SharedPhilox(
            Philox.ofSeedAttrs(attrs.integer("seed"), attrs.integer("seed2"), entropy));
    return call ->
        op.compute(call, node, generator.reserveSamples(SAMPLES_PER_ATTEMPT * op.attempts));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shapes.mergeSize(Shapes.withRank(in.shape(0), 1).size(0), 3);
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 3).size(2), 4);
    for (int i = 2; i < Math.min(3, in.count()); i++) {
      Shapes.withRank(in.shape(i), 0);
    }
    return List.of(Shape.of(3), Shape.of(3), Shape.of(1, 1, 4));
  }

  private void compute(KernelCall call, NodeSpec node, Philox generator) {
    Tensor size = call.input(0);
    if (size.shape().rank() != 1) {
      throw invalidArgument("image_size must be 1-dimensional%s", size.shape());
    }
    if (size.elements() != 3) {
      throw invalidArgument("image_size must contain 3 elements%s", size.shape());
    }
    int height = dimension(size, 0, "height");
    int width = dimension(size, 1, "width");
    Tensor boxes = call.input(1);
    checkBoxes(boxes.shape());
    float covered =
        call.inputs() > 2 ? covered(call.input(2)) : node.attrs().floating("min_object_covered");
    DistortedBoxSampler crop =
        new DistortedBoxSampler(limits, width, height, new PhiloxStream(generator));
    DistortedBoxSampler.Box drawn = crop.draw(covered, boxes(boxes, height, width), attempts);
    setOutputs(call, drawn, height, width);
  }

  private static int dimension(Tensor size, int index, String name) {
    long value =
        NumericElements.integer(
            size.dtype(), TensorMemory.array(size), TensorMemory.offset(size) + index);
    if (value < 0 || value >= Integer.MAX_VALUE) {
      throw invalidArgument("image %s cannot be >= int32 max", name);
    }
    return (int) value;
  }

  private static void checkBoxes(Shape shape) {
    if (shape.rank() != 3) {
      throw invalidArgument(
          "input boxes must be 3-dimensional [batch, num_boxes, coords]: %s", shape);
    }
    if (shape.size(2) != 4) {
      throw invalidArgument("bounding boxes must have shape [4] or [*, 4], got %s", shape);
    }
  }

  private static float covered(Tensor value) {
    if (value.shape().rank() != 0) {
      throw invalidArgument("min_object_covered must be 0-D, got shape %s", value.shape());
    }
    float covered = value.floats()[0];
    checkCovered(covered);
    return covered;
  }

  private List<DistortedBoxSampler.Box> boxes(Tensor tensor, int height, int width) {
    float[] corners = tensor.floats();
    List<DistortedBoxSampler.Box> boxes = new ArrayList<>();
    for (int i = 0; i < tensor.elements(); i += 4) {
      for (int k = 0; k < 4; k++) {
        if (!(corners[i + k] >= 0 && corners[i + k] <= 1)) {
          throw invalidArgument(
              "All bounding box coordinates must be in [0.0, 1.0]: %s",
              TensorText.number(corners[i + k], false));
        }
      }
      boxes.add(
          new DistortedBoxSampler.Box(
              (int) (corners[i + 1] * width),
              (int) (corners[i] * height),
              (int) (corners[i + 3] * width),
              (int) (corners[i + 2] * height)));
    }
    if (boxes.isEmpty()) {
      if (!imageIfNoBoxes) {
        throw invalidArgument(
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if"
                + " you wish to not provide any bounding boxes.");
      }
      boxes.add(new DistortedBoxSampler.Box(0, 0, width, height));
    }
    return boxes;
  }

  private static void setOutputs(
      KernelCall call, DistortedBoxSampler.Box crop, int height, int width) {
    DataType dtype = call.input(0).dtype();
    call.setOutput(0, vector(dtype, crop.minY(), crop.minX(), 0));
    call.setOutput(1, vector(dtype, crop.maxY() - crop.minY(), crop.maxX() - crop.minX(), -1));
    float[] box = {
      crop.minY() / (float) height,
      crop.minX() / (float) width,
      crop.maxY() / (float) height,
      crop.maxX() / (float) width
    };
    call.setOutput(2, Tensor.wrap(DataType.FLOAT32, Shape.of(1, 1, 4), box));
  }

  private static Tensor vector(DataType dtype, int... values) {
    Object array = dtype.kind().newArray(values.length);
    for (int i = 0; i < values.length; i++) {
      NumericElements.setInteger(array, i, values[i]);
    }
    return Tensor.wrap(dtype, Shape.of(values.length), array);
  }
}
