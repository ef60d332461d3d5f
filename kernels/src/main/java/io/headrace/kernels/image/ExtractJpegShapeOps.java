package io.headrace.kernels.image;

import io.headrace.kernels.image.jpeg.JpegDecompressor;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** ExtractJpegShape: height, width and components of a JPEG file, read from its header. */
final class ExtractJpegShapeOps {
  private ExtractJpegShapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ExtractJpegShape(contents: string) -> image_shape: output_type")
            .attrs("output_type: {int32, int64} = int32")
            .shape(_ -> List.of(Shape.of(3)))
            .kernel(node -> {
              DataType dtype = node.attrs().type("output_type");
              return call -> call.setOutput(0, extractShape(call.input(0), dtype));
            }));
  }

  private static Tensor extractShape(Tensor contents, DataType dtype) {
    if (contents.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "contents must be scalar, got shape %s", contents.shape());
    }
    byte[] file = contents.string(0);
    JpegDecompressor.Header header = JpegDecompressor.readHeader(file);
    if (header == null) {
      throw StatusException.invalidArgument("Invalid JPEG data, size %d", file.length);
    }
    return dtype == DataType.INT32
        ? Tensor.vector(header.height(), header.width(), header.components())
        : Tensor.vector((long) header.height(), (long) header.width(), (long) header.components());
  }
}
