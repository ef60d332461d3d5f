package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** ImageSummary: a serialized Summary with the first images of a batch. */
final class ImageSummaryOps {
  private ImageSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ImageSummary(tag: string, tensor: T) -> summary: string")
            .attrs(
                "max_images: int = 3",
                "T: {uint8, float, half, double} = float",
                "bad_color: tensor = uint8[255 0 0 255]")
            .shape(ShapeFunctions.SCALAR)
            .remark(
                "The same pixels, not the same bytes: the JDK's zlib compresses otherwise. "
                    + SummaryInputs.TAGS)
            .kernel(ImageSummaryOps::image));
  }

  private static Kernel.Sync image(NodeSpec node) {
    long maxImages = SummaryInputs.atLeastOne(node, "max_images");
    Tensor badColor = node.attrs().tensor("bad_color");
    if (badColor.dtype() != DataType.UINT8) {
      throw invalidArgument("bad_color must be uint8, got %s", badColor.dtype().tfName());
    }
    if (badColor.shape().rank() != 1) {
      throw invalidArgument("bad_color must be a vector, got shape %s", badColor.shape());
    }
    return call -> {
      if (call.input(0).shape().rank() != 0) {
        throw invalidArgument("Tags must be a scalar");
      }
      String tag = SummaryInputs.text(call, 0);
      SummaryInputs.setOutput(
          call,
          ImageSummaries.summary(tag, call.input(1), maxImages, badColor, call.cancellation()));
    };
  }
}
