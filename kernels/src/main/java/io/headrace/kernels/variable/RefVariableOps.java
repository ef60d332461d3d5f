package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * VariableV2, Variable, IsVariableInitialized and RefIdentity: variables of TensorFlow 1, passed by
 * reference. An edge of type {@code Ref} carries the handle of a {@link VariableResource}. The
 * variable is looked up by its container and its shared name, or the node name if that is empty.
 */
final class RefVariableOps {
  /**
   * The type under which {@link Resources} keep these variables, apart from those of resource
   * handles with the same name.
   */
  private record Referenced(VariableResource variable) {}

  private RefVariableOps() {}

  static List<Op> ops() {
    return List.of(
        variable("VariableV2"),
        variable("Variable"),
        Op.define("IsVariableInitialized(ref: Ref(dtype)) -> is_initialized: bool")
            .attrs("dtype: type")
            .shape(ShapeFunctions.SCALAR)
            .runsOnHost()
            .stateless(call ->
                call.setOutput(
                    0, Tensor.scalar(VariableResource.of(call.input(0)).isInitialized()))),
        Op.define("RefIdentity(input: Ref(T)) -> output: Ref(T)")
            .attrs("T: type")
            .shape(ShapeFunctions.SAME)
            .runsOnHost()
            .stateless(call -> call.setOutput(0, call.input(0))));
  }

  private static Op variable(String name) {
    return Op.define(name + "() -> ref: Ref(dtype)")
        .attrs("shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''")
        .stateful()
        .shape(in -> List.of(in.attrs().shape("shape")))
        .runsOnHost()
        .kernel(RefVariableOps::variable);
  }

  private static Kernel.Sync variable(NodeSpec node) {
    Attrs attrs = node.attrs();
    String container = attrs.string("container");
    String shared = attrs.string("shared_name");
    String name = shared.isEmpty() ? node.name() : shared;
    Resources.checkNames(container, shared);
    DataType dtype = attrs.type("dtype");
    Shape shape = attrs.shape("shape");
    return call -> {
      VariableResource found =
          call.resources()
              .lookupOrCreate(
                  container,
                  name,
                  Referenced.class,
                  () -> new Referenced(new VariableResource(name, dtype, shape)))
              .variable();
      if (found.dtype() != dtype) {
        throw invalidArgument(
            "variable %s is %s, and node %s has it as %s",
            name, found.dtype().tfName(), node.name(), dtype.tfName());
      }
      call.setOutput(0, Tensor.resource(found));
    };
  }
}
