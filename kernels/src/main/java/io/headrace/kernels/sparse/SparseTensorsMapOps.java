package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/**
 * The ops AddSparseToTensorsMap, AddManySparseToTensorsMap and TakeManySparseFromTensorsMap. Nodes
 * find the {@link SparseTensorsMap} by container and shared name, by default the node's own name.
 */
final class SparseTensorsMapOps {
  private static final String[] SHARED = {"container: string = ''", "shared_name: string = ''"};

  private SparseTensorsMapOps() {}

  static List<Op> ops() {
    String sparse = SparseSerializationOps.SPARSE;
    return List.of(
        Op.define("AddSparseToTensorsMap" + sparse.formatted("T") + " -> sparse_handle: int64")
            .attrs("T: type")
            .attrs(SHARED)
            .stateful()
            .shape(in -> handlesRule(in, Shape.SCALAR))
            .kernel(node -> {
              Function<KernelCall, SparseTensorsMap> map = map(node);
              return call -> {
                SparseTensor tensor = detached(SparseSerializationOps.unchecked(call));
                call.setOutput(0, Tensor.scalar(map.apply(call).add(tensor)));
              };
            }),
        Op.define("AddManySparseToTensorsMap" + sparse.formatted("T") + " -> sparse_handles: int64")
            .attrs("T: type")
            .attrs(SHARED)
            .stateful()
            .shape(in -> handlesRule(in, Shape.of(Shape.UNKNOWN_DIMENSION)))
            .kernel(node -> {
              Function<KernelCall, SparseTensorsMap> map = map(node);
              return call -> addMany(call, map.apply(call));
            }),
        Op.define(
                "TakeManySparseFromTensorsMap(sparse_handles: int64) -> "
                    + sparse.formatted("dtype"))
            .attrs("dtype: type")
            .attrs(SHARED)
            .stateful()
            .shape(in -> {
              Shapes.withRank(in.shape(0), 1);
              return SparseSerializationOps.deserializeShapes();
            })
            .kernel(SparseTensorsMapOps::takeMany));
  }

  private static List<Shape> handlesRule(ShapeFunction.Inputs in, Shape handles) {
    Shapes.withRank(in.shape(0), 2);
    Shapes.withRank(in.shape(1), 1);
    Shapes.withRank(in.shape(2), 1);
    return List.of(handles);
  }

  private static Function<KernelCall, SparseTensorsMap> map(NodeSpec node) {
    Attrs attrs = node.attrs();
    String container = attrs.string("container");
    String shared = attrs.string("shared_name");
    Resources.checkNames(container, shared);
    String name = shared.isEmpty() ? node.name() : shared;
    return call ->
        call.resources()
            .lookupOrCreate(
                container, name, SparseTensorsMap.class, () -> new SparseTensorsMap(name));
  }

  /** {@code tensor}, detached from larger tensors that its parts may be slices of. */
  private static SparseTensor detached(SparseTensor tensor) {
    return new SparseTensor(
        tensor.indices().detach(), tensor.values().detach(), tensor.shape().detach());
  }

  private static void addMany(KernelCall call, SparseTensorsMap map) {
    SparseTensor sparse = SparseSerializationOps.unchecked(call);
    Shape indices = sparse.indices().shape();
    if (sparse.count() != indices.size(0)) {
      throw invalidArgument(
          "Number of values must match first dimension of indices. Got %d values, indices shape:"
              + " %s",
          sparse.count(), indices);
    }
    if (sparse.rank() != indices.size(1)) {
      throw invalidArgument(
          "Number of dimensions must match second dimension of indices. Got %d dimensions, indices"
              + " shape: %s",
          sparse.rank(), indices);
    }
    if (sparse.rank() <= 1) {
      throw invalidArgument(
          "Rank of input SparseTensor should be > 1, but saw rank: %d", sparse.rank());
    }
    List<SparseTensor> rows = sparse.rows(call.cancellation());
    long[] handles = new long[rows.size()];
    // TensorFlow gives nonempty rows their handles before empty ones.
    for (boolean isEmpty : new boolean[] {false, true}) {
      for (int i = 0; i < handles.length; i++) {
        if ((rows.get(i).count() == 0) == isEmpty) {
          handles[i] = map.add(rows.get(i));
        }
      }
    }
    call.setOutput(0, Tensor.vector(handles));
  }

  private static Kernel.Sync takeMany(NodeSpec node) {
    Function<KernelCall, SparseTensorsMap> map = map(node);
    DataType dtype = node.attrs().type("dtype");
    return call -> {
      Tensor handles = call.input(0);
      if (handles.shape().rank() != 1) {
        throw invalidArgument(
            "sparse_handles should be a vector but received shape %s", handles.shape());
      }
      if (handles.elements() == 0) {
        throw invalidArgument(
            "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows");
      }
      List<SparseTensor> taken = map.apply(call).take(handles);
      for (int i = 0; i < taken.size(); i++) {
        DataType held = taken.get(i).values().dtype();
        if (held != dtype) {
          throw invalidArgument(
              "Requested SparseTensor of type %s but SparseTensor[%d].values.dtype() == %s",
              dtype.tfName(), i, held.tfName());
        }
      }
      SparseStack stack =
          new SparseStack(taken, Shape.of(taken.size()), dtype, call.cancellation());
      call.setOutput(2, stack.shape());
      call.setOutput(0, stack.indices());
      call.setOutput(1, stack.values());
    };
  }
}
