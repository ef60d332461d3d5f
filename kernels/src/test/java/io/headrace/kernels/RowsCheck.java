package io.headrace.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares a kernel's {@code computeRows} with {@code compute} row by row, on rows made from the
 * inputs of a case, for every choice of the inputs that have rows (or some choices, for more than
 * four inputs). If a row fails, or output shapes differ between rows, {@code computeRows} must fail
 * or decline.
 */
record RowsCheck(Kernel.Sync kernel, NodeSpec node, OracleCase c) {
  private static final int ROWS = 3;

  void run() {
    int inputs = c.inputs().size();
    int choices = inputs > 4 ? 0 : (1 << inputs) - 1;
    for (int mask = 1; mask <= choices; mask++) {
      check(mask, true);
      check(mask, false);
    }
    if (inputs > 4) {
      check(-1, true);
      check(-1, false);
      check(1, false);
      check(1 << (inputs - 1), false);
    }
  }

  private void check(int mask, boolean equalRows) {
    Set<Integer> withRows = new HashSet<>();
    for (int i = 0; i < c.inputs().size(); i++) {
      boolean stackable = c.inputs().get(i).dtype().kind().isFixedWidth();
      stackable |= c.inputs().get(i).dtype() == DataType.STRING;
      if (stackable && (mask >> Math.min(i, 31) & 1) != 0) {
        withRows.add(i);
      }
    }
    if (!withRows.isEmpty()) {
      check(withRows, equalRows);
    }
  }

  private void check(Set<Integer> withRows, boolean equalRows) {
    List<Tensor> stacked = new ArrayList<>(c.inputs());
    for (int i : withRows) {
      stacked.set(i, OracleTest.withinLargerArray(rows(c.inputs().get(i), equalRows)));
    }
    StepContext step = StepContext.standalone();
    FakeCall call = FakeCall.ofRows(ROWS, stacked, withRows, step);
    boolean done;
    try {
      done = kernel.computeRows(call);
    } catch (StatusException _) {
      return; // the runner then computes row by row; OracleTest checks the error
    }
    if (!done) {
      assertThat(call.hasOutputs()).as("declined, and yet set outputs").isFalse();
      return;
    }
    List<Tensor> actual = call.outputs(node.outputTypes().size());
    List<Tensor> expected = oneByOne(stacked, withRows, step);
    assertThat(expected).as("%s with rows: many do not fail, one does", withRows).isNotNull();
    assertThat(new TensorDifference(c.ulps(), c.atol()).between(expected, actual))
        .as("inputs %s with rows", withRows)
        .isEmpty();
  }

  /** The outputs of each row, stacked; null if a row fails or output shapes differ. */
  private @Nullable List<Tensor> oneByOne(
      List<Tensor> stacked, Set<Integer> withRows, StepContext step) {
    List<List<Tensor>> columns = new ArrayList<>();
    node.outputTypes().forEach(_ -> columns.add(new ArrayList<>()));
    try {
      for (int row = 0; row < ROWS; row++) {
        List<Tensor> inputs = new ArrayList<>(stacked);
        for (int i : withRows) {
          inputs.set(i, stacked.get(i).row(row));
        }
        List<Tensor> outputs = OracleTest.call(kernel, node, inputs, step);
        for (int i = 0; i < outputs.size(); i++) {
          columns.get(i).add(outputs.get(i));
        }
      }
      return columns.stream().map(Column::stackRows).toList();
    } catch (StatusException _) {
      return null;
    }
  }

  private static Tensor rows(Tensor tensor, boolean equal) {
    List<Tensor> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      rows.add(equal ? tensor : varied(tensor, row));
    }
    return Column.stackRows(rows);
  }

  /** The elements rotated by {@code by} positions; a single number increased by {@code by}. */
  private static Tensor varied(Tensor tensor, int by) {
    int n = tensor.elements();
    Object array = tensor.dtype().kind().newArray(n);
    for (int i = 0; i < n; i++) {
      tensor
          .dtype()
          .kind()
          .copy(
              TensorMemory.array(tensor), TensorMemory.offset(tensor) + i, array, (i + by) % n, 1);
    }
    if (n == 1) {
      raise(array, by);
    }
    return Tensor.wrap(tensor.dtype(), tensor.shape(), array);
  }

  private static void raise(Object array, int by) {
    switch (array) {
      case int[] a -> a[0] += by;
      case long[] a -> a[0] += by;
      case float[] a -> a[0] += by;
      case double[] a -> a[0] += by;
      default -> {} // other dtypes keep their value
    }
  }
}
