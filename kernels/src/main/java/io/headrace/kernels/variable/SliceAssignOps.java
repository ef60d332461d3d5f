package io.headrace.kernels.variable;

import io.headrace.kernels.movement.SliceUpdate;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Assignment to a slice of a variable, by reference and by resource handle. */
final class SliceAssignOps {
  private SliceAssignOps() {}

  static List<Op> ops() {
    return List.of(
        SliceUpdate.declared("ResourceStridedSliceAssign(ref: resource", "")
            .stateful()
            .shape(_ -> List.of())
            .kernel(SliceAssignOps::assign),
        SliceUpdate.declared("StridedSliceAssign(ref: Ref(T)", " -> output_ref: Ref(T)")
            .shape(ShapeFunctions.SAME)
            .kernel(node -> {
              Kernel.Sync assign = assign(node);
              return call -> {
                assign.compute(call);
                call.setOutput(0, call.input(0));
              };
            }));
  }

  private static Kernel.Sync assign(NodeSpec node) {
    SliceUpdate update = SliceUpdate.of(node);
    return call -> {
      Tensor value = call.input(4);
      VariableResource variable = ResourceVariableOps.typed(call.input(0), value.dtype());
      VariableResource.withLocks(
          List.of(variable),
          () -> {
            SliceUpdate.Assignment assignment =
                update.assignment(
                    variable.lockedValue().shape(),
                    call.input(1),
                    call.input(2),
                    call.input(3),
                    value);
            if (!assignment.isEmpty()) {
              assignment.write(variable.writableArray(), 0, call.cancellation());
            }
          });
    };
  }
}
