package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * ResizeBilinear and ResizeNearestNeighbor. Of many rows, which have images of one size, it takes
 * all images as one batch.
 *
 * @param isBilinear whether pixels are mixed
 * @param alignCorners the attr {@code align_corners}
 * @param halfPixelCenters the attr {@code half_pixel_centers}
 */
record ResizeKernel(boolean isBilinear, boolean alignCorners, boolean halfPixelCenters)
    implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    return new ResizeKernel(
        node.op().name().equals("ResizeBilinear"),
        node.attrs().bool("align_corners"),
        node.attrs().bool("half_pixel_centers"));
  }

  @Override
  public boolean run(GpuCall call) {
    Tensor images = call.tensor(0);
    Tensor size = call.parameter(1);
    Shape shape = call.shape(0);
    if (shape.rank() != 4
        || images.elements() == 0
        || call.isMany() != call.varies(0)
        || size == null
        || size.shape().rank() != 1
        || size.elements() != 2
        || size.integer(0) <= 0
        || size.integer(1) <= 0
        || (alignCorners && halfPixelCenters)) {
      return false;
    }
    Shape output = Shape.of(shape.size(0), size.integer(0), size.integer(1), shape.size(3));
    launch(call, shape, output);
    return true;
  }

  private void launch(GpuCall call, Shape from, Shape to) {
    DataType dtype = call.tensor(0).dtype();
    Shape shape = call.withRows(to);
    DeviceBuffer images = call.operand(0);
    DeviceBuffer output = call.output(0, isBilinear ? DataType.FLOAT32 : dtype, shape);
    int kind = isBilinear ? DtypeCode.of(dtype) : (alignCorners ? 1 : 0);
    call.launch(
        PtxResource.RESIZE,
        isBilinear ? "resizeBilinear" : "resizeNearest" + dtype.byteSize(),
        GpuCall.blocks(shape.elements()),
        List.of(images),
        List.of(output),
        images.address(),
        output.address(),
        shape.elements(),
        kind,
        (int) from.size(1),
        (int) from.size(2),
        (int) to.size(1),
        (int) to.size(2),
        (int) to.size(3),
        scale(from.size(1), to.size(1)),
        scale(from.size(2), to.size(2)),
        halfPixelCenters ? 1 : 0);
  }

  /** Input pixels per output pixel along an axis. */
  private float scale(long in, long out) {
    return alignCorners && out > 1 ? (in - 1) / (float) (out - 1) : in / (float) out;
  }
}
