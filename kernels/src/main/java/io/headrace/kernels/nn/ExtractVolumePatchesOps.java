package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.status.StatusException.unimplemented;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ExtractVolumePatches op: the patches of volumes under a sliding window, as channels. */
final class ExtractVolumePatchesOps {
  private static final int RANK = 5;

  private ExtractVolumePatchesOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ExtractVolumePatches(input: T) -> patches: T")
            .attrs("ksizes: list(int)", "strides: list(int)", "T: real", "padding: string")
            .remark("The shape for volumes of unknown sizes has 5 dimensions; TensorFlow infers 4.")
            .shape(in -> List.of(patchShape(Shapes.withRank(in.shape(0), RANK), in.attrs())))
            .kernel(ExtractVolumePatchesOps::patches));
  }

  /** Depth, height and width of attr {@code name}, which has an element for each dimension. */
  private static int[] space(Attrs attrs, String name) {
    List<Long> sizes = ExtractImagePatchesOps.sizes(attrs, name);
    if (sizes.size() != RANK) {
      throw invalidArgument("%s must have a number for each of 5 dimensions: %s", name, sizes);
    }
    if (sizes.getFirst() != 1 || sizes.getLast() != 1) {
      throw unimplemented("Only support %s across space.", name);
    }
    int[] space = new int[RANK - 2];
    for (int i = 0; i < space.length; i++) {
      space[i] = sizes.get(i + 1).intValue();
      if (space[i] < 1) {
        throw StatusException.of(StatusCode.OUT_OF_RANGE, "%s is out of range.", name);
      }
    }
    return space;
  }

  private static Shape patchShape(Shape volumes, Attrs attrs) {
    int[] window = space(attrs, "ksizes");
    int[] strides = space(attrs, "strides");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    Shape result = volumes;
    long depth = volumes.size(RANK - 1);
    for (int i = 0; i < window.length; i++) {
      long out = padding.outSize(volumes.size(i + 1), window[i], strides[i], 1);
      result = Shapes.withSize(result, i + 1, out);
      depth = Shapes.multiply(depth, window[i]);
    }
    return Shapes.withSize(result, RANK - 1, depth);
  }

  private static Kernel.Sync patches(NodeSpec node) {
    Attrs attrs = node.attrs();
    int[] window = space(attrs, "ksizes");
    int[] strides = space(attrs, "strides");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    return call -> {
      Shape shape = call.input(0).shape();
      if (shape.rank() != RANK) {
        throw invalidArgument("input must be 5-dimensional%s", shape);
      }
      Shape result = patchShape(shape, attrs);
      if (!result.isKnown()) {
        throw invalidArgument("Output size would overflow: a patch of %s is too large", shape);
      }
      SlidingAxis[] axes = new SlidingAxis[window.length];
      for (int i = 0; i < axes.length; i++) {
        axes[i] = padding.axis((int) shape.size(i + 1), window[i], strides[i], 1);
      }
      SlidingWindow positions = new SlidingWindow((int) shape.size(0), axes[0], axes[1], axes[2]);
      call.setOutput(0, patches(call, positions, result));
    };
  }

  private static Tensor patches(KernelCall call, SlidingWindow positions, Shape result) {
    Tensor volumes = call.input(0);
    Object array = TensorLimit.allocate(volumes.dtype(), result);
    int channels = (int) volumes.shape().size(RANK - 1);
    int depth = (int) result.size(RANK - 1);
    if (result.elements() > 0) {
      positions.slide(
          call.cancellation(),
          (pixel, position, tap) ->
              volumes
                  .dtype()
                  .kind()
                  .copy(
                      TensorMemory.array(volumes),
                      TensorMemory.offset(volumes) + pixel * channels,
                      array,
                      position * depth + tap * channels,
                      channels));
    }
    return Tensor.wrap(volumes.dtype(), result, array);
  }
}
