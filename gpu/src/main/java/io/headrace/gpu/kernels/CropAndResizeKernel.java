package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * CropAndResize. Boxes that are not finite, and those of images that are not there, are found where
 * they are, and their error is the CPU's.
 *
 * @param isNearest whether pixels are copied, not mixed
 * @param outside the value of pixels out of the image
 */
record CropAndResizeKernel(boolean isNearest, float outside) implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    return new CropAndResizeKernel(
        node.attrs().string("method").equals("nearest"),
        node.attrs().floating("extrapolation_value"));
  }

  @Override
  public boolean run(GpuCall call) {
    if (call.isMany()) {
      return false; // indices count the images of a row
    }
    Shape images = call.tensor(0).shape();
    Shape boxes = call.tensor(1).shape();
    Shape indices = call.tensor(2).shape();
    Tensor size = call.tensor(3);
    boolean fit =
        images.rank() == 4
            && boxes.rank() == 2
            && indices.rank() == 1
            && size.shape().equals(Shape.of(2))
            && boxes.equals(Shape.of(indices.size(0), 4))
            && size.integer(0) > 0
            && size.integer(1) > 0;
    if (!fit || images.elements() == 0 || indices.elements() == 0) {
      return false;
    }
    // On the host, boxes are checked at no cost.
    boolean areOnHost = call.isOnHost(1) && call.isOnHost(2);
    if (areOnHost && !areValid(call.tensor(1), call.tensor(2), images.size(0))) {
      return false;
    }
    DeviceBuffer error = call.errorWord();
    launch(
        call,
        images,
        Shape.of(indices.size(0), size.integer(0), size.integer(1), images.size(3)),
        error);
    return areOnHost || !call.hasError(error);
  }

  private static boolean areValid(Tensor boxes, Tensor indices, long batch) {
    for (float corner : boxes.floats()) {
      if (!Float.isFinite(corner)) {
        return false;
      }
    }
    for (long index : indices.integers()) {
      if (index < 0 || index >= batch) {
        return false;
      }
    }
    return true;
  }

  private void launch(GpuCall call, Shape from, Shape to, DeviceBuffer error) {
    DeviceBuffer images = call.operand(0);
    DeviceBuffer boxes = call.operand(1);
    DeviceBuffer indices = call.operand(2);
    DeviceBuffer output = call.output(0, DataType.FLOAT32, to);
    call.launch(
        PtxResource.RESIZE,
        "cropAndResize",
        GpuCall.blocks(to.elements()),
        List.of(images, boxes, indices),
        List.of(output, error),
        images.address(),
        boxes.address(),
        indices.address(),
        output.address(),
        error.address(),
        to.elements(),
        DtypeCode.of(call.tensor(0).dtype()),
        (int) from.size(0),
        (int) from.size(1),
        (int) from.size(2),
        (int) to.size(1),
        (int) to.size(2),
        (int) to.size(3),
        isNearest ? 1 : 0,
        outside);
  }
}
