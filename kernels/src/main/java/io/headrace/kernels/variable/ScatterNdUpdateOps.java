package io.headrace.kernels.variable;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.movement.NdIndices;
import io.headrace.kernels.movement.ScatterOps;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** ScatterNdUpdate, ScatterNdAdd and the like, by reference and by resource handle. */
final class ScatterNdUpdateOps {
  private static final List<Combiner> COMBINING =
      List.of(Combiner.UPDATE, Combiner.ADD, Combiner.SUB, Combiner.MIN, Combiner.MAX);

  private static final String INDICES = "Tindices: {int32, int64}";

  private ScatterNdUpdateOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (Combiner combining : COMBINING) {
      add(ops, ScatterUpdateOps.name(combining), combining);
    }
    return ops;
  }

  private static void add(List<Op> ops, String name, Combiner combining) {
    ops.add(
        Op.define("ResourceScatterNd" + name + "(ref: resource, indices: Tindices, updates: T)")
            .attrs(
                "T: " + typesByHandle(combining),
                INDICES,
                ScatterUpdateOps.locking(true),
                NdIndices.POLICY)
            .stateful()
            .shape(_ -> List.of())
            .kernel(node -> slices(node, combining)));
    ops.add(
        Op.define(
                "ScatterNd"
                    + name
                    + "(ref: Ref(T), indices: Tindices, updates: T)"
                    + " -> output_ref: Ref(T)")
            .attrs(
                "T: " + ScatterUpdateOps.types(combining),
                INDICES,
                ScatterUpdateOps.locking(combining == Combiner.UPDATE),
                NdIndices.POLICY)
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              Kernel.Sync scatter = slices(node, combining);
              return call -> {
                scatter.compute(call);
                call.setOutput(0, call.input(0));
              };
            }));
  }

  private static String typesByHandle(Combiner combining) {
    return switch (combining) {
      case ADD, SUB -> "{number, bool}";
      default -> ScatterUpdateOps.types(combining);
    };
  }

  private static Kernel.Sync slices(NodeSpec node, Combiner combining) {
    boolean skipsBad = NdIndices.skipsBad(node);
    return call -> {
      VariableResource variable = ScatterUpdateOps.variable(call);
      Tensor indices = call.input(1);
      Tensor updates = call.input(2);
      VariableResource.withLocks(
          List.of(variable),
          () -> {
            Shape shape = variable.lockedValue().shape();
            ScatterOps.checkUpdates(shape, indices.shape(), updates.shape());
            ScatterOps.scatter(
                indices, updates, shape, skipsBad, variable.writableArray(), 0, combining);
          });
    };
  }
}
