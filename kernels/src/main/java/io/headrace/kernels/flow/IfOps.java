package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** If and StatelessIf: one of two functions, chosen by a condition. */
final class IfOps {
  private static final String[] CONDITIONAL_ATTRS = {
    "Tcond: type",
    "Tin: list(type)",
    "Tout: list(type)",
    "then_branch: func",
    "else_branch: func",
    "output_shapes: list(shape) = []"
  };

  private IfOps() {}

  static List<Op> ops() {
    return List.of(conditional("If"), conditional("StatelessIf"));
  }

  // The effect of a node is the effect of its functions: neither op is stateful in itself.

  private static Op conditional(String name) {
    return Op.define(name + "(cond: Tcond, input: [Tin]) -> output: [Tout]")
        .attrs(CONDITIONAL_ATTRS)
        .shape(FunctionCalls.DECLARED_SHAPES)
        .runsOnHost()
        .kernel(node ->
            new Conditional(
                FunctionCalls.instantiate(node, "then_branch"),
                FunctionCalls.instantiate(node, "else_branch")));
  }

  /**
   * Computes a batch of rows in one call if all rows take the same branch, which is common for
   * assertions.
   */
  private record Conditional(CallableFunction thenBranch, CallableFunction elseBranch)
      implements Kernel.Sync {
    /**
     * The byte size up to which an argument common to all rows is copied into one stacked array.
     */
    private static final int SMALL_BYTES = 1024;

    @Override
    public void compute(KernelCall call) {
      FunctionCalls.forward(call, branch(FunctionCalls.isTrue(call.input(0))));
    }

    private CallableFunction branch(boolean condition) {
      return condition ? thenBranch : elseBranch;
    }

    @Override
    public boolean computeRows(RowsCall call) {
      Tensor condition = call.input(0);
      boolean first = FunctionCalls.isTrue(call.isRows(0) ? condition.row(0) : condition);
      for (int row = 1; call.isRows(0) && row < call.rows(); row++) {
        if (FunctionCalls.isTrue(condition.row(row)) != first) {
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
        return false; // the kernel then runs row by row, so that the error belongs to a row
      }
      List<Tensor> outputs =
          result.columns().stream().map(column -> Column.stack(column).tensor()).toList();
      FunctionCalls.setOutputs(call, outputs);
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
}
