package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

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

/** The ExtractImagePatches op: the patches of images under a sliding window, as channels. */
final class ExtractImagePatchesOps {
  private ExtractImagePatchesOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ExtractImagePatches(images: T) -> patches: T")
            .attrs(
                "ksizes: list(int)",
                "strides: list(int)",
                "rates: list(int)",
                "T: fixedwidth",
                "padding: string")
            .shape(in -> List.of(patchShape(in.shape(0), in.attrs())))
            .kernel(ExtractImagePatchesOps::patches));
  }

  /** Height and width of attr {@code name}, which has an element for each of 4 dimensions. */
  private static Window window(Attrs attrs, String name) {
    List<Long> sizes = sizes(attrs, name);
    if (sizes.size() != 4) {
      throw invalidArgument("%s must have a number for each of 4 dimensions: %s", name, sizes);
    }
    if (sizes.get(0) != 1 || sizes.get(3) != 1) {
      throw StatusException.unimplemented(
          "%s must be 1 for the batch and depth dimensions: %s", name, sizes);
    }
    if (sizes.get(1) <= 0 || sizes.get(2) <= 0) {
      throw StatusException.of(StatusCode.OUT_OF_RANGE, "%s is out of range: %s", name, sizes);
    }
    return new Window(sizes.get(1).intValue(), sizes.get(2).intValue());
  }

  /** Attr {@code name}; INVALID_ARGUMENT if a number has more than 32 bits. */
  static List<Long> sizes(Attrs attrs, String name) {
    List<Long> sizes = attrs.integers(name);
    for (long size : sizes) {
      if (size != (int) size) {
        throw invalidArgument("Attr %s has value %d out of range for an int32", name, size);
      }
    }
    return sizes;
  }

  private record Window(int height, int width) {}

  private static Shape patchShape(Shape input, Attrs attrs) {
    Shape images = Shapes.withRank(input, 4);
    Window size = window(attrs, "ksizes");
    Window stride = window(attrs, "strides");
    Window rate = window(attrs, "rates");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    long height = padding.outSize(images.size(1), size.height, stride.height, rate.height);
    long width = padding.outSize(images.size(2), size.width, stride.width, rate.width);
    long depth = Shapes.multiply(images.size(3), (long) size.height * size.width);
    return Shape.of(images.size(0), height, width, depth);
  }

  private static Kernel.Sync patches(NodeSpec node) {
    Attrs attrs = node.attrs();
    Window size = window(attrs, "ksizes");
    Window stride = window(attrs, "strides");
    Window rate = window(attrs, "rates");
    SlidingAxis.Padding padding = SlidingAxis.Padding.of(attrs.string("padding"));
    return call -> {
      Shape shape = call.input(0).shape();
      if (shape.rank() != 4) {
        throw invalidArgument("input must be 4-dimensional%s", shape);
      }
      SlidingAxis y = padding.axis((int) shape.size(1), size.height, stride.height, rate.height);
      SlidingAxis x = padding.axis((int) shape.size(2), size.width, stride.width, rate.width);
      call.setOutput(0, patches(call, y, x));
    };
  }

  private static Tensor patches(KernelCall call, SlidingAxis y, SlidingAxis x) {
    Tensor images = call.input(0);
    Shape shape = images.shape();
    int channels = (int) shape.size(3);
    int depth = Math.toIntExact((long) y.window() * x.window() * channels);
    Shape result = Shape.of(shape.size(0), y.out(), x.out(), depth);
    Object array = TensorLimit.allocate(images.dtype(), result);
    int at = 0;
    for (int b = 0; b < shape.size(0); b++) {
      for (int i = 0; i < y.out() * x.out(); i++) {
        call.cancellation().check();
        for (int ky = 0; ky < y.window(); ky++) {
          int row = y.index(i / x.out(), ky);
          for (int kx = 0; kx < x.window(); kx++) {
            int column = x.index(i % x.out(), kx);
            if (row >= 0 && column >= 0) {
              int from = ((b * y.in() + row) * x.in() + column) * channels;
              images
                  .dtype()
                  .kind()
                  .copy(
                      TensorMemory.array(images),
                      TensorMemory.offset(images) + from,
                      array,
                      at,
                      channels);
            }
            at += channels;
          }
        }
      }
    }
    return Tensor.wrap(images.dtype(), result, array);
  }
}
