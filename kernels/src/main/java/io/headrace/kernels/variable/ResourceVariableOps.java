package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.LongStream;

/**
 * VarHandleOp, ReadVariableOp, AssignVariableOp and the like: variables by resource handle. The
 * variable is looked up by container and shared name among the device's resources; with the shared
 * name of anonymous variables, each VarHandleOp owns its variable.
 */
final class ResourceVariableOps {
  /**
   * The shared name of anonymous variables, which eager TensorFlow creates: each VarHandleOp has
   * its own.
   */
  private static final String ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

  private ResourceVariableOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("VarHandleOp() -> resource: resource")
            .attrs(
                "container: string = ''",
                "shared_name: string = ''",
                "debug_name: string = ''",
                "dtype: type",
                "shape: shape",
                "allowed_devices: list(string) = []")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .kernel(ResourceVariableOps::handle),
        Op.define("AssignVariableOp(resource: resource, value: dtype)")
            .attrs("dtype: type", "validate_shape: bool = false")
            .stateful()
            .shape(_ -> List.of())
            .kernel(node -> {
              boolean sameShape = node.attrs().bool("validate_shape");
              return call -> VariableResource.of(call.input(0)).assign(call.input(1), sameShape);
            }),
        Op.define("DestroyResourceOp(resource: resource)")
            .attrs("ignore_lookup_error: bool = true")
            .stateful()
            .shape(_ -> List.of())
            .kernel(ResourceVariableOps::destroy),
        Op.define("DisableCopyOnRead(resource: resource)")
            .stateful()
            .shape(_ -> List.of())
            .remark("A no-op: reading a variable never copies its value.")
            .stateless(call -> {
              var _ = VariableResource.of(call.input(0)); // must be a variable
            }),
        changing("AssignAddVariableOp", Expression::add),
        changing("AssignSubVariableOp", Expression::sub),
        Op.define("ReadVariableOp(resource: resource) -> value: dtype")
            .attrs("dtype: type")
            .stateful(Effect.READS)
            .kernel(ResourceVariableOps::read),
        Op.define("VarIsInitializedOp(resource: resource) -> is_initialized: bool")
            .stateful(Effect.READS)
            .shape(ShapeFunctions.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0, Tensor.scalar(VariableResource.of(call.input(0)).isInitialized()))),
        Op.define("VariableShape(input: resource) -> output: out_type")
            .attrs("out_type: {int32, int64} = int32")
            .stateful(Effect.READS)
            .shape(_ -> List.of(Shape.of(Shape.UNKNOWN_DIMENSION)))
            .kernel(ResourceVariableOps::shape));
  }

  private static Kernel.Sync handle(NodeSpec node) {
    Attrs attrs = node.attrs();
    String name = attrs.string("shared_name");
    DataType dtype = attrs.type("dtype");
    if (name.equals(ANONYMOUS)) {
      return call -> call.setOutput(0, Tensor.resource(new VariableResource(node.name(), dtype)));
    }
    return call ->
        call.setOutput(
            0,
            Tensor.resource(
                call.resources()
                    .lookupOrCreate(
                        attrs.string("container"),
                        name,
                        VariableResource.class,
                        () -> new VariableResource(name, dtype))));
  }

  private static Kernel.Sync destroy(NodeSpec node) {
    boolean ignoreMissing = node.attrs().bool("ignore_lookup_error");
    return call -> {
      Object resource = call.input(0).reference(0);
      // VarHandleOp creates the variable, which exists for this op once it has a value.
      boolean isThere =
          !(resource instanceof VariableResource variable) || variable.isInitialized();
      if (!(call.resources().remove(resource) && isThere) && !ignoreMissing) {
        throw StatusException.of(
            StatusCode.NOT_FOUND, "Resource of node %s does not exist.", node.name());
      }
    };
  }

  private static Kernel.Sync read(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    return call -> call.setOutput(0, typed(call.input(0), dtype).read());
  }

  /** The variable of {@code handle}; INVALID_ARGUMENT unless its dtype is {@code dtype}. */
  static VariableResource typed(Tensor handle, DataType dtype) {
    VariableResource variable = VariableResource.of(handle);
    if (variable.dtype() != dtype) {
      throw invalidArgument(
          "Trying to read variable with wrong dtype. Expected %s got %s for variable %s",
          dtype.tfName(), variable.dtype().tfName(), variable.name());
    }
    return variable;
  }

  private static Kernel.Sync shape(NodeSpec node) {
    DataType type = node.attrs().type("out_type");
    return call -> {
      VariableResource variable = VariableResource.of(call.input(0));
      if (!variable.isInitialized()) {
        throw StatusException.of(
            StatusCode.NOT_FOUND, "Resource %s does not exist.", variable.name());
      }
      Shape shape = variable.read().shape();
      call.setOutput(
          0,
          IntegerTensors.vector(
              type, LongStream.range(0, shape.rank()).map(i -> shape.size((int) i)).toArray()));
    };
  }

  private static Op changing(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(resource: resource, value: dtype)")
        .attrs("dtype: type")
        .stateful()
        .shape(_ -> List.of())
        .kernel(node -> {
          VariableArithmetic sum =
              new VariableArithmetic(node, node.attrs().type("dtype"), name, rule);
          return call -> {
            VariableResource variable = VariableResource.of(call.input(0));
            Tensor by = call.input(1);
            if (variable.dtype() != by.dtype()) {
              throw invalidArgument(
                  "DType of variable handle and value does not match: %s and %s for variable %s",
                  variable.dtype().tfName(), by.dtype().tfName(), variable.name());
            }
            variable.update(held -> changed(variable, held, by, sum, call));
          };
        });
  }

  private static Tensor changed(
      VariableResource variable, Tensor held, Tensor by, VariableArithmetic sum, KernelCall call) {
    if (!held.shape().equals(by.shape())) {
      throw invalidArgument(
          "Cannot update variable with shape %s using a Tensor with shape %s,"
              + " shapes must be equal: variable %s",
          held.shape(), by.shape(), variable.name());
    }
    return sum.of(held, by, call.step());
  }
}
