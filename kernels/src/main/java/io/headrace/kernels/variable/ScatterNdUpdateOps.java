package io.headrace.kernels.variable;

import io.headrace.kernels.kit.Combining;
import io.headrace.kernels.movement.NdIndices;
import io.headrace.kernels.movement.ScatterOps;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** ScatterNdUpdate, ScatterNdAdd and the like, by reference and by resource handle. */
final class ScatterNdUpdateOps {
  private static final List<Combining> COMBINING =
      List.of(Combining.UPDATE, Combining.ADD, Combining.SUB, Combining.MIN, Combining.MAX);

  private static final String INDICES = "Tindices: {int32, int64}";

  private ScatterNdUpdateOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (Combining combining : COMBINING) {
      add(ops, ScatterUpdateOps.name(combining), combining);
    }
    return ops;
  }

  private static void add(List<Op> ops, String name, Combining combining) {
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
                ScatterUpdateOps.locking(combining == Combining.UPDATE),
                NdIndices.POLICY)
            .shape(ShapeRules.SAME)
            .kernel(node -> {
              Kernel.Sync scatter = slices(node, combining);
              return call -> {
                scatter.compute(call);
                call.setOutput(0, call.input(0));
              };
            }));
  }

  private static String typesByHandle(Combining combining) {
    return switch (combining) {
      case ADD, SUB -> "{number, bool}";
      default -> ScatterUpdateOps.types(combining);
    };
  }

  private static Kernel.Sync slices(NodeSpec node, Combining combining) {
    NdIndices.checkPolicy(node);
    return call -> {
      VariableResource variable = ScatterUpdateOps.variable(call);
      Tensor indices = call.input(1);
      Tensor updates = call.input(2);
      VariableResource.withLocks(
          List.of(variable),
          () -> {
            Shape shape = variable.lockedValue().shape();
            ScatterOps.checkUpdates(shape, indices.shape(), updates.shape());
            ScatterOps.scatter(indices, updates, shape, variable.writableArray(), 0, combining);
          });
    };
  }
}
