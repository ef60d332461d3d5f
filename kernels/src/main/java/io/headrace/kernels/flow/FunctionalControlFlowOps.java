package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Control flow as functions: calls, conditionals, loops. */
final class FunctionalControlFlowOps {
  private static final ShapeRule DECLARED =
      inputs -> {
        List<Shape> declared = inputs.attrs().shapes("output_shapes");
        int outputs = inputs.attrs().types(inputs.attrs().has("Tout") ? "Tout" : "T").size();
        return declared.size() == outputs ? declared : Collections.nCopies(outputs, Shape.UNKNOWN);
      };

  private static final String[] CONDITIONAL_ATTRS = {
    "Tcond: type",
    "Tin: list(type)",
    "Tout: list(type)",
    "then_branch: func",
    "else_branch: func",
    "output_shapes: list(shape) = []"
  };

  private static final String[] CASE_ATTRS = {
    "Tin: list(type)", "Tout: list(type)", "branches: list(func)", "output_shapes: list(shape) = []"
  };

  private static final String[] LOOP_ATTRS = {
    "T: list(type)",
    "cond: func",
    "body: func",
    "output_shapes: list(shape) = []",
    "parallel_iterations: int = 10"
  };

  private static final String[] CALL_ATTRS = {
    "Tin: list(type)",
    "Tout: list(type)",
    "f: func",
    "config: string = ''",
    "config_proto: string = ''",
    "executor_type: string = ''"
  };

  static final List<Op> OPS =
      List.of(
          call("PartitionedCall"),
          call("StatefulPartitionedCall"),
          conditional("If"),
          conditional("StatelessIf"),
          choice("Case"),
          choice("StatelessCase"),
          loop("While"),
          loop("StatelessWhile"),
          countedLoop(),
          gradient());

  private FunctionalControlFlowOps() {}

  private static Op call(String name) {
    return Op.define(name + "(args: [Tin]) -> output: [Tout]").attrs(CALL_ATTRS).call();
  }

  // What these do to the outside is what their functions do, so none is stateful by itself.

  private static Op conditional(String name) {
    return Op.define(name + "(cond: Tcond, input: [Tin]) -> output: [Tout]")
        .attrs(CONDITIONAL_ATTRS)
        .shape(DECLARED)
        .kernel(node ->
            new Conditional(instantiate(node, "then_branch"), instantiate(node, "else_branch")));
  }

  /** Runs many rows together where all take the same branch, as those of a passing assertion do. */
  private record Conditional(CallableFunction thenBranch, CallableFunction elseBranch)
      implements Kernel.Sync {
    /**
     * An argument that is the same for all rows is put into one array with its copies up to this.
     */
    private static final int SMALL_BYTES = 1024;

    @Override
    public void compute(KernelCall call) {
      forward(call, branch(isTrue(call.input(0))));
    }

    private CallableFunction branch(boolean condition) {
      return condition ? thenBranch : elseBranch;
    }

    @Override
    public boolean computeRows(RowsCall call) {
      Tensor condition = call.input(0);
      boolean first = isTrue(call.isRows(0) ? condition.row(0) : condition);
      for (int row = 1; call.isRows(0) && row < call.rows(); row++) {
        if (isTrue(condition.row(row)) != first) {
          return false;
        }
      }
      CallableFunction branch = branch(first);
      if (branch.isStateful() || !branch.outputTypes().stream().allMatch(Conditional::canStack)) {
        return false;
      }
      List<Column> arguments = new ArrayList<>();
      for (int i = 1; i < call.inputs(); i++) {
        arguments.add(
            call.isRows(i)
                ? new Column.Stacked(call.input(i))
                : repeated(call.input(i), call.rows()));
      }
      CallableFunction.RowsResult result =
          branch.callRows(call.rows(), arguments, List.of(), call.step());
      if (result.failure() != null) {
        return false; // row by row, the failure finds its row
      }
      List<Tensor> outputs =
          result.columns().stream().map(column -> Column.stack(column).tensor()).toList();
      setOutputs(call, outputs);
      return true;
    }

    private static boolean canStack(DataType dtype) {
      return dtype != DataType.VARIANT && dtype != DataType.RESOURCE;
    }

    private static Column repeated(Tensor value, int rows) {
      List<Tensor> copies = Collections.nCopies(rows, value);
      return canStack(value.dtype()) && value.byteSize() <= SMALL_BYTES
          ? new Column.Stacked(Column.stackRows(copies))
          : new Column.Listed(value.dtype(), copies);
    }
  }

  private static Op choice(String name) {
    return Op.define(name + "(branch_index: int32, input: [Tin]) -> output: [Tout]")
        .attrs(CASE_ATTRS)
        .shape(DECLARED)
        .kernel(node -> {
          List<CallableFunction> branches = new ArrayList<>();
          for (FunctionRef branch : node.attrs().functions("branches")) {
            branches.add(node.functions().instantiate(branch));
          }
          return call -> forward(call, branch(branches, call.input(0).integer(0)));
        });
  }

  private static CallableFunction branch(List<CallableFunction> branches, long index) {
    return index < 0 || index >= branches.size() ? branches.getLast() : branches.get((int) index);
  }

  private static Op loop(String name) {
    return Op.define(name + "(input: [T]) -> output: [T]")
        .attrs(LOOP_ATTRS)
        .shape(DECLARED)
        .kernel(FunctionalControlFlowOps::loopKernel);
  }

  private static Kernel.Sync loopKernel(NodeSpec node) {
    CallableFunction condition = instantiate(node, "cond");
    CallableFunction body = instantiate(node, "body");
    return call -> {
      List<Tensor> variables = arguments(call, 0);
      while (isTrue(condition.call(variables, call.step()).getFirst())) {
        variables = body.call(variables, call.step());
      }
      setOutputs(call, variables);
    };
  }

  private static Op countedLoop() {
    return Op.define("For(start: int32, limit: int32, delta: int32, input: [T]) -> output: [T]")
        .attrs("T: list(type)", "body: func")
        .kernel(node -> {
          CallableFunction body = instantiate(node, "body");
          return call -> count(call, body);
        });
  }

  private static void count(KernelCall call, CallableFunction body) {
    for (int i = 0; i < 3; i++) {
      if (call.input(i).shape().rank() != 0) {
        throw StatusException.invalidArgument(
            "start, limit and delta must be scalars, and input %d has shape %s",
            i, call.input(i).shape());
      }
    }
    long start = call.input(0).integer(0);
    long limit = call.input(1).integer(0);
    long delta = call.input(2).integer(0);
    if (start != limit && (delta == 0 || (delta > 0) != (start < limit))) {
      throw StatusException.invalidArgument(
          "Invalid start/limit/delta: %d %d %d", start, limit, delta);
    }
    List<Tensor> variables = arguments(call, 3);
    for (long i = start; delta > 0 ? i < limit : i > limit; i += delta) {
      List<Tensor> inputs = new ArrayList<>();
      inputs.add(Tensor.scalar((int) i));
      inputs.addAll(variables);
      variables = body.call(inputs, call.step());
    }
    setOutputs(call, variables);
  }

  private static Op gradient() {
    return Op.define("SymbolicGradient(input: [Tin]) -> output: [Tout]")
        .attrs("Tin: list(type)", "Tout: list(type)", "f: func")
        .remark(
            "Derived by the rules of Graph.gradients, some of which need to know ranks; a gradient"
                + " that the library registers for the function is taken as it is.")
        .shape(FunctionalControlFlowOps::gradientShapes)
        .kernel(node -> {
          CallableFunction gradient = node.functions().gradient(node.attrs().function("f"));
          checkTypes(node, gradient);
          return call -> setOutputs(call, gradient.call(arguments(call, 0), call.step()));
        });
  }

  /** A gradient has the shape of its argument. */
  private static List<Shape> gradientShapes(ShapeRule.Inputs in) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < Math.min(in.count(), in.attrs().types("Tout").size()); i++) {
      shapes.add(in.shape(i));
    }
    return shapes;
  }

  private static void checkTypes(NodeSpec node, CallableFunction function) {
    if (!node.inputTypes().equals(function.inputTypes())
        || !node.outputTypes().equals(function.outputTypes())) {
      throw StatusException.invalidArgument(
          "node %s takes %s -> %s of the gradient of function %s, which is %s -> %s",
          node.name(),
          node.inputTypes(),
          node.outputTypes(),
          node.attrs().function("f").name(),
          function.inputTypes(),
          function.outputTypes());
    }
  }

  private static CallableFunction instantiate(NodeSpec node, String attr) {
    return node.functions().instantiate(node.attrs().function(attr));
  }

  private static void forward(KernelCall call, CallableFunction function) {
    setOutputs(call, function.call(arguments(call, 1), call.step()));
  }

  private static List<Tensor> arguments(KernelCall call, int first) {
    List<Tensor> arguments = new ArrayList<>();
    for (int i = first; i < call.inputs(); i++) {
      arguments.add(call.input(i));
    }
    return arguments;
  }

  private static void setOutputs(KernelCall call, List<Tensor> values) {
    for (int i = 0; i < values.size(); i++) {
      call.setOutput(i, values.get(i));
    }
  }

  /** A scalar is true if it is not zero or empty; any other tensor if it has elements. */
  static boolean isTrue(Tensor value) {
    if (value.shape().rank() != 0) {
      return value.elements() > 0;
    }
    return switch (value.dtype()) {
      case BOOL -> value.bool(0);
      case STRING -> value.string(0).length > 0;
      case INT32, INT64 -> value.integer(0) != 0;
      case FLOAT32 -> value.floats()[0] != 0;
      case FLOAT64 -> value.doubles()[0] != 0;
      case INT8, UINT8 -> value.bytes()[0] != 0;
      case INT16, UINT16 -> value.shorts()[0] != 0;
      default ->
          throw StatusException.invalidArgument(
              "a condition cannot be of dtype %s", value.dtype().tfName());
    };
  }
}
