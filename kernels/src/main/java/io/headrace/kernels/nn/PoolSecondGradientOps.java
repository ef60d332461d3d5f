package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.status.StatusException.unimplemented;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The gradients of max pooling's gradients: of each window, the gradient at the first element that
 * equals the window's maximum.
 */
final class PoolSecondGradientOps {
  private static final String INPUTS = "(orig_input: T, orig_output: T, grad: T";

  private static final List<String> FLAT = List.of("NHWC", "NCHW");
  private static final List<String> VOLUMES = List.of("NDHWC", "NCDHW");

  private PoolSecondGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MaxPoolGradGrad" + INPUTS + ") -> output: T")
            .attrs(PoolOps.WINDOW)
            .attrs(PoolOps.FLAT, "T: real")
            .shape(in -> merged(in, PoolOps.inferMax(in)))
            .kernel(node -> withAttrs(node, "MaxPoolingGradGrad")),
        Op.define("MaxPoolGradGradV2" + INPUTS + ", ksize: int32, strides: int32) -> output: T")
            .attrs("padding: string", PoolOps.FLAT, "T: real")
            .shape(in -> merged(in, PoolOps.inferV2(in, 3)))
            .kernel(PoolSecondGradientOps::withInputs),
        Op.define("MaxPool3DGradGrad" + INPUTS + ") -> output: T")
            .attrs(PoolOps.WINDOW)
            .attrs(PoolOps.VOLUMES, "T: {float, bfloat16}")
            .shape(in -> merged(in, Pool.infer(in)))
            .kernel(node -> withAttrs(node, "MaxPooling3dGradGrad")));
  }

  private static List<Shape> merged(ShapeFunction.Inputs in, List<Shape> result) {
    Shapes.merge(in.shape(0), in.shape(2));
    Shapes.merge(in.shape(1), result.getFirst());
    return result;
  }

  private static Kernel.Sync withAttrs(NodeSpec node, String name) {
    Attrs attrs = node.attrs();
    String format = attrs.string("data_format");
    int rank = format.length();
    checkFormat(format, node.op().name().equals("MaxPool3DGradGrad") ? VOLUMES : FLAT);
    check(attrs.integers("ksize"), attrs.integers("strides"), format, name);
    if (format.equals("NCDHW")) {
      throw invalidArgument("Default MaxPooling3dGradGradOp only supportsNDHWC on CPU device type");
    }
    Pool pool = new Pool(node);
    return call -> {
      checkRanks(call, rank);
      gradient(call, pool);
    };
  }

  private static Kernel.Sync withInputs(NodeSpec node) {
    String format = node.attrs().string("data_format");
    checkFormat(format, FLAT);
    return call -> {
      checkRanks(call, format.length());
      check(
          PoolOps.numbers(call.input(3)), PoolOps.numbers(call.input(4)), format, "MaxPoolingGrad");
      gradient(call, PoolOps.pool(node, call, 3));
    };
  }

  private static void checkFormat(String format, List<String> formats) {
    if (!formats.contains(format)) {
      throw invalidArgument(
          "Value for attr 'data_format' of \"%s\" is not in the list of allowed values: %s",
          format,
          formats.stream().map(allowed -> '"' + allowed + '"').collect(Collectors.joining(", ")));
    }
    if (format.equals("NCHW")) {
      throw invalidArgument("Default MaxPoolingGradGradOp only supports NHWC on device type CPU");
    }
  }

  private static void check(List<Long> size, List<Long> strides, String format, String name) {
    int rank = format.length();
    if (size.size() != rank) {
      throw invalidArgument("Sliding window ksize field must specify %d dimensions", rank);
    }
    if (strides.size() != rank) {
      throw invalidArgument("Sliding window strides field must specify %d dimensions", rank);
    }
    if (size.getFirst() != 1 || strides.getFirst() != 1) {
      throw unimplemented("Pooling is not yet supported on the batch dimension.");
    }
    int depth = format.indexOf('C');
    if (size.get(depth) != 1 || strides.get(depth) != 1) {
      throw unimplemented("%s is not yet supported on the depth dimension.", name);
    }
  }

  private static void checkRanks(KernelCall call, int rank) {
    List<String> names = List.of("tensor_in", "tensor_out", "out_grad_backprop");
    for (int i = 0; i < names.size(); i++) {
      if (call.input(i).shape().rank() != rank) {
        throw invalidArgument("%s must be %d-dimensional", names.get(i), rank);
      }
    }
  }

  private static void gradient(KernelCall call, Pool pool) {
    Tensor images = call.input(0);
    Tensor largest = call.input(1);
    Tensor gradient = call.input(2);
    Shape shape = images.shape();
    Shape result = pool.outShape(shape, "tensor_in");
    Pool.checkShape("orig_output", result, largest);
    Pool.checkShape("grad", shape, gradient);
    if (shape.rank() == 5 && images.elements() == 0) {
      throw invalidArgument(
          "received empty tensor tensor_in: Tensor<type: %s shape: %s values: >",
          images.dtype().tfName(), shape);
    }
    DataType dtype = images.dtype();
    Object out = TensorLimit.allocate(dtype, result);
    boolean[] found = new boolean[result.elements()];
    int channels = (int) shape.size(shape.rank() - 1);
    pool.slidingWindow(shape)
        .slide(
            call.cancellation(),
            (pixel, position, _) -> {
              for (int c = 0; c < channels; c++) {
                int from = pixel * channels + c;
                int to = position * channels + c;
                if (!found[to] && equal(images, from, largest, to)) {
                  found[to] = true;
                  dtype
                      .kind()
                      .copy(
                          TensorMemory.array(gradient),
                          TensorMemory.offset(gradient) + from,
                          out,
                          to,
                          1);
                }
              }
            });
    call.setOutput(0, Tensor.wrap(dtype, result, out));
  }

  /** Whether element {@code i} of {@code a} equals element {@code j} of {@code b}. */
  static boolean equal(Tensor a, int i, Tensor b, int j) {
    DataType dtype = a.dtype();
    Object left = TensorMemory.array(a);
    Object right = TensorMemory.array(b);
    int l = TensorMemory.offset(a) + i;
    int r = TensorMemory.offset(b) + j;
    return dtype.isFloating()
        ? NumericElements.floating(dtype, left, l) == NumericElements.floating(dtype, right, r)
        : NumericElements.integer(dtype, left, l) == NumericElements.integer(dtype, right, r);
  }
}
