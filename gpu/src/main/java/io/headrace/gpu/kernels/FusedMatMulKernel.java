package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.kernels.MatMulKernel.Product;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.op.FusedProductKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * _FusedMatMul: a product of matrices, rounded to its dtype, and the elementwise program that the
 * CPU's kernel applies to it, in two launches.
 */
final class FusedMatMulKernel implements WrittenKernel {
  /** The inputs that are multiplied. */
  private static final int FACTORS = 2;

  private final MatMulKernel product;
  private final FusedProductKernel rules;
  private final GeneratedKernels kernels;

  private FusedMatMulKernel(MatMulKernel product, FusedProductKernel rules) {
    this.product = product;
    this.rules = rules;
    this.kernels = new GeneratedKernels(rules.epilogue());
  }

  static WrittenKernel of(NodeSpec node, FusedProductKernel rules) {
    return new FusedMatMulKernel(MatMulKernel.of(node), rules);
  }

  /** The same where the library is asked for products of any size. */
  FusedMatMulKernel ofAnyWork() {
    return new FusedMatMulKernel(product.ofAnyWork(), rules);
  }

  @Override
  public boolean run(GpuCall call) {
    Optional<Product> made = product.product(call);
    if (made.isEmpty() || !fit(call, made.get().shape())) {
      return false;
    }
    Shape shape = made.get().shape();
    List<DeviceBuffer> operands = new ArrayList<>(List.of(made.get().buffer()));
    List<Shape> shapes = new ArrayList<>(List.of(shape));
    for (int i = FACTORS; i < call.inputs(); i++) {
      operands.add(call.operand(i));
      shapes.add(call.shape(i));
    }
    BroadcastPlan plan = BroadcastPlan.of(shapes);
    call.launch(kernels, plan, operands, call.output(0, rules.epilogue().result(), shape));
    return true;
  }

  /** Whether the arguments have the shapes that the program needs; the CPU tells which does not. */
  private boolean fit(GpuCall call, Shape shape) {
    Shape columns = Shape.of(shape.size(1));
    List<Boolean> whole = rules.haveProductShape();
    for (int i = 0; i < whole.size(); i++) {
      if (!call.shape(FACTORS + i).equals(whole.get(i) ? shape : columns)) {
        return false;
      }
    }
    return true;
  }
}
