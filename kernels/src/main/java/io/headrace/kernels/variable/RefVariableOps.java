package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.device.Reference;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * Variables of TensorFlow 1, which ops reach by reference: an edge of a {@code Ref} argument
 * carries the handle of a {@link VariableResource}. One is found by its container and its shared
 * name, or else the name of its node.
 */
final class RefVariableOps {
  /**
   * What {@link io.headrace.runtime.device.Resources} hold it by, apart from variables with
   * resource handles.
   */
  private record Referenced(VariableResource variable) {}

  private RefVariableOps() {}

  static List<Op> ops() {
    return List.of(
        variable("VariableV2"),
        variable("Variable"),
        Op.define("Assign(ref: Ref(T), value: T) -> output_ref: Ref(T)")
            .attrs("T: type", "validate_shape: bool = true", "use_locking: bool = true")
            .shape(in -> List.of(in.shape(1)))
            .kernel(RefVariableOps::assign),
        changing("AssignAdd", Expression::add),
        changing("AssignSub", Expression::sub),
        Op.define("IsVariableInitialized(ref: Ref(dtype)) -> is_initialized: bool")
            .attrs("dtype: type")
            .shape(ShapeRules.SCALAR)
            .stateless(call ->
                call.setOutput(
                    0, Tensor.scalar(VariableResource.of(call.input(0)).isInitialized()))),
        Op.define("RefIdentity(input: Ref(T)) -> output: Ref(T)")
            .attrs("T: type")
            .shape(ShapeRules.SAME)
            .stateless(call -> call.setOutput(0, call.input(0))),
        Op.define("TemporaryVariable() -> ref: Ref(dtype)")
            .attrs("shape: shape", "dtype: type", "var_name: string = ''")
            .stateful()
            .shape(in -> List.of(in.attrs().shape("shape")))
            .kernel(RefVariableOps::temporary),
        Op.define("DestroyTemporaryVariable(ref: Ref(T)) -> value: T")
            .attrs("T: type", "var_name: string")
            .shape(ShapeRules.SAME)
            .stateless(call -> call.setOutput(0, Reference.read(call.input(0)))),
        Op.define("CountUpTo(ref: Ref(T)) -> output: T")
            .attrs("limit: int", "T: {int32, int64}")
            .shape(ShapeRules.SCALAR)
            .kernel(RefVariableOps::countUpTo),
        Op.define("ResourceCountUpTo(resource: resource) -> output: T")
            .attrs("limit: int", "T: {int32, int64}")
            .stateful()
            .shape(ShapeRules.SCALAR)
            .kernel(RefVariableOps::countUpToByHandle),
        Op.define("RefSelect(index: int32, inputs: N * Ref(T)) -> output: Ref(T)")
            .attrs("T: type", "N: int")
            .shape(RefVariableOps::selectRule)
            .stateless(RefVariableOps::select));
  }

  private static Op variable(String name) {
    return Op.define(name + "() -> ref: Ref(dtype)")
        .attrs("shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''")
        .stateful()
        .shape(in -> List.of(in.attrs().shape("shape")))
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

  /** A variable of one step, which goes when nobody refers to it. */
  private static Kernel.Sync temporary(NodeSpec node) {
    Attrs attrs = node.attrs();
    String given = attrs.string("var_name");
    String name = given.isEmpty() ? node.name() : given;
    return call ->
        call.setOutput(
            0,
            Tensor.resource(new VariableResource(name, attrs.type("dtype"), attrs.shape("shape"))));
  }

  private static Kernel.Sync assign(NodeSpec node) {
    boolean validate = node.attrs().bool("validate_shape");
    return call -> {
      VariableResource variable = VariableResource.of(call.input(0));
      Tensor value = call.input(1);
      Shape shape = variable.shape();
      if (validate && shape.isKnown() && !shape.equals(value.shape())) {
        throw invalidArgument(
            "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
            shape, value.shape());
      }
      variable.assign(value, false);
      call.setOutput(0, call.input(0));
    };
  }

  private static Op changing(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(ref: Ref(T), value: T) -> output_ref: Ref(T)")
        .attrs("T: number", "use_locking: bool = false")
        .shape(in -> List.of(in.shape(1)))
        .kernel(node -> {
          VariableSum sum = new VariableSum(node, node.attrs().type("T"), name, rule);
          return call -> {
            VariableResource variable = VariableResource.of(call.input(0));
            Tensor by = call.input(1);
            variable.readReference();
            variable.update(held -> sum.of(sameSize(held, by), by, call.step()));
            call.setOutput(0, call.input(0));
          };
        });
  }

  private static Tensor sameSize(Tensor held, Tensor by) {
    if (!held.shape().equals(by.shape())) {
      throw invalidArgument("Parameters and update must be the same size");
    }
    return held;
  }

  private static Kernel.Sync countUpTo(NodeSpec node) {
    long limit = node.attrs().integer("limit");
    return call -> {
      VariableResource variable = VariableResource.of(call.input(0));
      variable.readReference();
      call.setOutput(0, variable.update(held -> counted(held, limit)));
    };
  }

  private static Kernel.Sync countUpToByHandle(NodeSpec node) {
    long limit = node.attrs().integer("limit");
    DataType dtype = node.attrs().type("T");
    return call -> {
      VariableResource variable = ResourceVariableOps.typed(call.input(0), dtype);
      call.setOutput(0, variable.update(held -> counted(held, limit)));
    };
  }

  private static void select(KernelCall call) {
    Tensor index = call.input(0);
    if (index.shape().rank() != 0) {
      throw invalidArgument("Index must be a scalar, but it has shape %s", index.shape());
    }
    long chosen = index.integer(0);
    if (chosen < 0 || chosen >= call.inputs() - 1) {
      throw invalidArgument(
          "Index must be in the range [0, %d) but got %d", call.inputs() - 1, chosen);
    }
    call.setOutput(0, call.input(1 + (int) chosen));
  }

  /** The shape that all have; what they do not have in common is not known. */
  private static List<Shape> selectRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 0);
    Shape first = in.shape(1);
    for (int i = 2; i < in.count(); i++) {
      if (!first.isKnown() || !first.equals(in.shape(i))) {
        return List.of(Shape.UNKNOWN);
      }
    }
    return List.of(first);
  }

  private static Tensor counted(Tensor held, long limit) {
    if (held.shape().rank() != 0) {
      throw invalidArgument("input is not a scalar: %s", held.shape());
    }
    long count = held.integer(0);
    if (count >= limit) {
      throw StatusException.of(StatusCode.OUT_OF_RANGE, "Reached limit of %d", limit);
    }
    return held.dtype() == DataType.INT32
        ? Tensor.scalar((int) (count + 1))
        : Tensor.scalar(count + 1);
  }
}
