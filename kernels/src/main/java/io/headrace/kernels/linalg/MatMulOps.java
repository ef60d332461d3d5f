package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.EqualityKernel;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.FusedProductKernel;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/** The ops MatMul, BatchMatMul, BatchMatMulV2, BatchMatMulV3 and _FusedMatMul. */
final class MatMulOps {
  private static final String TYPES =
      "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

  private static final String MIXED_TYPES =
      "%s: {bfloat16, half, float, double, uint8, int8, int32, int64, complex64, complex128}";

  private static final String[] ADJOINTS = {
    "adj_x: bool = false", "adj_y: bool = false", "grad_x: bool = false", "grad_y: bool = false"
  };

  private static final String ROUNDED_ONCE =
      "Products of 16-bit floats are added up as float and rounded once.";

  private MatMulOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MatMul(a: T, b: T) -> product: T")
            .attrs(
                "transpose_a: bool = false",
                "transpose_b: bool = false",
                TYPES,
                "grad_a: bool = false",
                "grad_b: bool = false")
            .shape(MatMulOps::matMulRule)
            .remark(ROUNDED_ONCE)
            .runsOnGpu()
            .kernel(
                RowKernel.made(node -> {
                  boolean a = node.attrs().bool("transpose_a");
                  boolean b = node.attrs().bool("transpose_b");
                  return rows -> {
                    rows.set(0, matMul(rows, a, b));
                    return true;
                  };
                })),
        batched("BatchMatMul", false),
        batched("BatchMatMulV2", true),
        Op.define("_FusedMatMul(a: T, b: T, args: num_args * T) -> product: T")
            .attrs(
                "transpose_a: bool = false",
                "transpose_b: bool = false",
                "T: {bfloat16, half, float}",
                "num_args: int")
            .attrs(FusedEpilogue.attrs())
            .shape(MatMulOps::matMulRule)
            .remark(ROUNDED_ONCE)
            .runsOnGpu()
            .kernel(MatMulOps::fused),
        Op.define("BatchMatMulV3(x: Ta, y: Tb) -> output: Tout")
            .attrs(
                MIXED_TYPES.formatted("Ta"),
                MIXED_TYPES.formatted("Tb"),
                TYPES.replace("T:", "Tout:"))
            .attrs(ADJOINTS)
            .shape(in -> batchedRule(in, true))
            .remark(ROUNDED_ONCE)
            .runsOnGpu()
            .kernel(batched(true)));
  }

  private static Op batched(String name, boolean broadcasts) {
    return Op.define(name + "(x: T, y: T) -> output: T")
        .attrs(TYPES)
        .attrs(ADJOINTS)
        .shape(in -> batchedRule(in, broadcasts))
        .remark(ROUNDED_ONCE)
        .runsOnGpu()
        .kernel(batched(broadcasts));
  }

  private static Op.KernelMaker batched(boolean broadcasts) {
    return RowKernel.made(node -> {
      DataType dtype = node.outputTypes().getFirst();
      boolean x = node.attrs().bool("adj_x");
      boolean y = node.attrs().bool("adj_y");
      return rows -> {
        rows.set(0, batchMatMul(rows, dtype, x, y, broadcasts));
        return true;
      };
    });
  }

  private static List<Shape> matMulRule(ShapeFunction.Inputs in) {
    Shape a = Shapes.withRank(in.shape(0), 2);
    Shape b = Shapes.withRank(in.shape(1), 2);
    boolean transposeA = in.attrs().bool("transpose_a");
    boolean transposeB = in.attrs().bool("transpose_b");
    Shapes.mergeSize(a.size(transposeA ? 0 : 1), b.size(transposeB ? 1 : 0));
    return List.of(Shape.of(a.size(transposeA ? 1 : 0), b.size(transposeB ? 0 : 1)));
  }

  private static List<Shape> batchedRule(ShapeFunction.Inputs in, boolean broadcasts) {
    Shape x = in.shape(0);
    Shape y = in.shape(1);
    Shapes.checkRankAtLeast(x, 2);
    Shapes.checkRankAtLeast(y, 2);
    if (x.isUnknownRank() || y.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    boolean adjointX = in.attrs().bool("adj_x");
    boolean adjointY = in.attrs().bool("adj_y");
    Shapes.mergeSize(last(x, adjointX ? 2 : 1), last(y, adjointY ? 1 : 2));
    Shape batchX = x.sub(0, x.rank() - 2);
    Shape batchY = y.sub(0, y.rank() - 2);
    Shape batch =
        broadcasts ? ShapeFunctions.broadcast(batchX, batchY) : Shapes.merge(batchX, batchY);
    return List.of(
        Shapes.concat(batch, Shape.of(last(x, adjointX ? 1 : 2), last(y, adjointY ? 2 : 1))));
  }

  private static long last(Shape shape, int fromEnd) {
    return shape.size(shape.rank() - fromEnd);
  }

  private static Tensor matMul(Rows rows, boolean transposeA, boolean transposeB) {
    Shape a = rows.shape(0);
    Shape b = rows.shape(1);
    for (int i = 0; i < 2; i++) {
      if (rows.shape(i).rank() < 2) {
        throw invalidArgument("In[%d] ndims must be >= 2: %s", i, rows.shape(i));
      }
    }
    if (a.rank() != 2 || b.rank() != 2) {
      throw invalidArgument("In[0] and In[1] must be matrices, not of shape %s and %s", a, b);
    }
    return multiply(rows, rows.dtype(0), transposeA, transposeB, false);
  }

  private static Kernel.Sync fused(NodeSpec node) {
    boolean a = node.attrs().bool("transpose_a");
    boolean b = node.attrs().bool("transpose_b");
    FusedEpilogue epilogue = new FusedEpilogue(node, node.attrs().type("T"));
    return new FusedMatMul(a, b, epilogue);
  }

  /** A product with an epilogue. */
  private record FusedMatMul(boolean transposeA, boolean transposeB, FusedEpilogue fused)
      implements FusedProductKernel {
    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, fused.of(matMul(new Rows(call), transposeA, transposeB), call, 2));
    }

    @Override
    public LoopProgram epilogue() {
      return fused.program();
    }

    @Override
    public List<Boolean> haveProductShape() {
      return fused.haveResultShape();
    }
  }

  private static Tensor batchMatMul(
      Rows rows, DataType dtype, boolean adjointX, boolean adjointY, boolean broadcasts) {
    Shape x = rows.shape(0);
    Shape y = rows.shape(1);
    if (!broadcasts && x.rank() != y.rank()) {
      throw invalidArgument("In[0] and In[1] has different ndims: %s vs. %s", x, y);
    }
    if (x.rank() < 2 || y.rank() < 2) {
      throw invalidArgument("In[0] and In[1] ndims must be >= 2: %s and %s", x, y);
    }
    Shape batchX = x.sub(0, x.rank() - 2);
    Shape batchY = y.sub(0, y.rank() - 2);
    for (int axis = 0; !broadcasts && axis < batchX.rank(); axis++) {
      if (batchX.size(axis) != batchY.size(axis)) {
        throw invalidArgument(
            "In[0].dim(%d) and In[1].dim(%d) must be the same: %s vs %s", axis, axis, x, y);
      }
    }
    if (!EqualityKernel.fit(batchX, batchY)) {
      throw invalidArgument(
          "In[0] and In[1] must have compatible batch dimensions: %s vs. %s", x, y);
    }
    return multiply(rows, dtype, adjointX, adjointY, true);
  }

  private static Tensor multiply(
      Rows rows, DataType dtype, boolean transposeX, boolean transposeY, boolean conjugate) {
    Shape x = rows.shape(0);
    Shape y = rows.shape(1);
    int m = (int) last(x, transposeX ? 1 : 2);
    int k = (int) last(x, transposeX ? 2 : 1);
    int n = (int) last(y, transposeY ? 2 : 1);
    if (k != last(y, transposeY ? 1 : 2)) {
      throw invalidArgument("Matrix size-incompatible: In[0]: %s, In[1]: %s", x, y);
    }
    BroadcastPlan plan = batches(rows);
    Shape shape = Shapes.concat(plan.output(), Shape.of(m, n));
    TensorLimit.check(dtype, shape);
    MatrixBatch left = read(rows, 0, dtype, transposeX, conjugate);
    MatrixBatch right = read(rows, 1, dtype, transposeY, conjugate);
    Object array = left.times(right, plan.indices(0), plan.indices(1), rows.cancellation());
    return Tensor.wrap(dtype, shape, array);
  }

  /** The broadcast of the batch dimensions of both inputs, row by row. */
  private static BroadcastPlan batches(Rows rows) {
    long mask = (rows.varies(0) ? 1 : 0) | (rows.varies(1) ? 2 : 0);
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Shape shape = rows.all(i).shape();
      shapes.add(shape.sub(0, shape.rank() - 2));
    }
    return BroadcastPlan.ofRows(shapes, mask);
  }

  private static MatrixBatch read(
      Rows rows, int input, DataType dtype, boolean transpose, boolean conjugate) {
    Shape shape = rows.shape(input);
    int height = (int) last(shape, 2);
    int width = (int) last(shape, 1);
    Tensor tensor = converted(rows.all(input), dtype);
    if (!transpose) {
      return MatrixBatch.of(tensor, height, width);
    }
    MatrixBatch matrices = MatrixBatch.transposed(tensor, height, width, rows.cancellation());
    return conjugate ? matrices.conjugate() : matrices;
  }

  private static Tensor converted(Tensor tensor, DataType dtype) {
    if (tensor.dtype() == dtype) {
      return tensor;
    }
    Expression value = new Expression.Input(0, tensor.dtype());
    return ElementwiseKernel.of(value.convert(dtype), List.of(tensor.dtype())).apply(tensor);
  }
}
