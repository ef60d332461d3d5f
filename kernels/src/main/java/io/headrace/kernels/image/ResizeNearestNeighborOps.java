package io.headrace.kernels.image;

import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** ResizeNearestNeighbor: each pixel is a copy of the input pixel nearest to it. */
final class ResizeNearestNeighborOps {
  private ResizeNearestNeighborOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ResizeNearestNeighbor(images: T, size: int32) -> resized_images: T")
            .attrs(
                "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}",
                "align_corners: bool = false",
                "half_pixel_centers: bool = false")
            .shape(ResizeGrid::infer)
            .runsOnGpu("size")
            .kernel(node ->
                call -> call.setOutput(0, nearest(call.input(0), call.input(1), node.attrs()))));
  }

  private static Tensor nearest(Tensor images, Tensor size, Attrs attrs) {
    ResizeGrid grid = ResizeGrid.of(images, size, attrs);
    int[] rows = nearest(grid.inHeight(), grid.outHeight(), grid.heightScale(), attrs);
    int[] columns = nearest(grid.inWidth(), grid.outWidth(), grid.widthScale(), attrs);
    ElementKind kind = images.dtype().kind();
    Object out = TensorLimit.allocateUnset(images.dtype(), grid.outShape());
    int at = 0;
    for (int b = 0; b < grid.batch(); b++) {
      for (int y : rows) {
        int row =
            TensorMemory.offset(images)
                + (b * grid.inHeight() + y) * grid.inWidth() * grid.channels();
        for (int x : columns) {
          kind.copy(
              TensorMemory.array(images), row + x * grid.channels(), out, at, grid.channels());
          at += grid.channels();
        }
      }
    }
    return Tensor.wrap(images.dtype(), grid.outShape(), out);
  }

  /** For each of {@code out} pixels along an axis, the nearest of {@code in} pixels. */
  static int[] nearest(int in, int out, float scale, Attrs attrs) {
    boolean halfPixelCenters = attrs.bool("half_pixel_centers");
    boolean alignCorners = attrs.bool("align_corners");
    int[] indices = new int[out];
    for (int i = 0; i < out; i++) {
      float at = halfPixelCenters ? (i + 0.5f) * scale : i * scale;
      double index = alignCorners ? Math.floor((double) at + 0.5) : Math.floor(at);
      indices[i] = Math.max(0, Math.min((int) index, in - 1));
    }
    return indices;
  }
}
