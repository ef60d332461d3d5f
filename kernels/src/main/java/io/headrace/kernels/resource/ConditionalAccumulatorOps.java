package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Outputs;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * ConditionalAccumulator, SparseConditionalAccumulator and their ops: gradient accumulators, by
 * which synchronous training keeps its workers in step. An accumulator is looked up like a queue:
 * see {@link QueueOps}.
 */
final class ConditionalAccumulatorOps {
  private static final String DTYPE = "dtype: {half, float, double}";
  private static final String SPARSE = "Sparse";

  private ConditionalAccumulatorOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(dense(HandleForm.REFERENCE, ""));
    ops.addAll(dense(HandleForm.RESOURCE, "Resource"));
    ops.add(maker(HandleForm.REFERENCE, SPARSE));
    ops.add(
        HandleForm.REFERENCE
            .handleOpNamed(
                "SparseAccumulatorApplyGradient",
                "handle",
                ", local_step: int64, gradient_indices: int64, gradient_values: dtype,"
                    + " gradient_shape: int64",
                "")
            .attrs(DTYPE, "has_known_shape: bool")
            .kernel(ConditionalAccumulatorOps::applySparse));
    ops.add(
        HandleForm.REFERENCE
            .handleOpNamed(
                "SparseAccumulatorTakeGradient",
                "handle",
                ", num_required: int32",
                "indices: int64, values: dtype, shape: int64")
            .attrs(DTYPE)
            .waiting(node -> take(node, SparseGradientAccumulator.class)));
    return ops;
  }

  private static List<Op> dense(HandleForm form, String prefix) {
    String name = prefix + "Accumulator";
    return List.of(
        maker(form, prefix),
        form.handleOpNamed(
                name + "ApplyGradient", "handle", ", local_step: int64, gradient: dtype", "")
            .attrs(DTYPE)
            .kernel(ConditionalAccumulatorOps::applyDense),
        form.handleOpNamed(
                name + "TakeGradient", "handle", ", num_required: int32", "average: dtype")
            .attrs(DTYPE)
            .waiting(node -> take(node, GradientAccumulator.Dense.class)),
        form.handleOpNamed(name + "SetGlobalStep", "handle", ", new_global_step: int64", "")
            .stateless(call ->
                GradientAccumulator.of(call.input(0), GradientAccumulator.class)
                    .setGlobalStep(scalar(call.input(1), "new_global_step"))),
        form.handleOpNamed(name + "NumAccumulated", "handle", "", "num_accumulated: int32")
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0,
                    Tensor.scalar(
                        GradientAccumulator.of(call.input(0), GradientAccumulator.class)
                            .count()))));
  }

  private static Op maker(HandleForm form, String prefix) {
    return form.creatingOpNamed(prefix + "ConditionalAccumulator", "handle")
        .attrs(
            DTYPE,
            "shape: shape",
            "container: string = ''",
            "shared_name: string = ''",
            "reduction_type: string = 'MEAN'")
        .kernel(node -> make(node, prefix.equals(SPARSE)));
  }

  private static Kernel.Sync make(NodeSpec node, boolean isSparse) {
    Attrs attrs = node.attrs();
    DataType dtype = attrs.type("dtype");
    Shape shape = attrs.shape("shape");
    String reduction = attrs.string("reduction_type");
    if (!reduction.equals("MEAN") && !reduction.equals("SUM")) {
      throw invalidArgument(
          "reduction_type of node %s must be MEAN or SUM, and is %s", node.name(), reduction);
    }
    boolean isMean = reduction.equals("MEAN");
    return SharedResource.kernel(
        node,
        GradientAccumulator.class,
        _ ->
            isSparse
                ? new SparseGradientAccumulator(dtype, shape, isMean)
                : new GradientAccumulator.Dense(dtype, shape, isMean),
        _ -> {});
  }

  private static long scalar(Tensor tensor, String argument) {
    if (tensor.shape().rank() != 0) {
      throw invalidArgument(
          "Argument %s must be scalar, but had bad shape %s", argument, tensor.shape());
    }
    return tensor.integer(0);
  }

  private static <T extends GradientAccumulator> T typed(
      Tensor handle, Class<T> type, DataType dtype) {
    T accumulator = GradientAccumulator.of(handle, type);
    if (accumulator.dtype() != dtype) {
      throw invalidArgument(
          "the accumulator is of %s, and the op has it as of %s",
          accumulator.dtype().tfName(), dtype.tfName());
    }
    return accumulator;
  }

  private static Kernel.Sync applyDense(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    GradientArithmetic math = new GradientArithmetic(node, dtype);
    return call ->
        typed(call.input(0), GradientAccumulator.Dense.class, dtype)
            .apply(scalar(call.input(1), "local_step"), call.input(2), math, call.step());
  }

  private static Kernel.Sync applySparse(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    boolean hasShape = node.attrs().bool("has_known_shape");
    GradientArithmetic math = new GradientArithmetic(node, dtype);
    return call ->
        typed(call.input(0), SparseGradientAccumulator.class, dtype)
            .apply(
                scalar(call.input(1), "local_step"),
                call.input(2),
                call.input(3),
                hasShape ? call.input(4) : null,
                math,
                call.step());
  }

  private static Kernel.Async take(NodeSpec node, Class<? extends GradientAccumulator> type) {
    DataType dtype = node.attrs().type("dtype");
    GradientArithmetic math = new GradientArithmetic(node, dtype);
    return call ->
        Outputs.set(
            call,
            typed(call.input(0), type, dtype)
                .take(scalar(call.input(1), "num_required"), math, call.step()));
  }
}
