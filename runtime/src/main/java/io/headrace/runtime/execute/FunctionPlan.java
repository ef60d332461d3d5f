package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How a function runs over the rows of a chunk, as compiled: functions that it calls are inlined,
 * and constants are not among its ops.
 *
 * @param ops the ops, in the order in which they run
 * @param fusedOps how many of them share a loop over elements with others
 * @param loops the number of these loops
 * @param changing the ops with state, each with its node: rows run one by one because of them
 * @param rowKernels the ops whose kernels take one row at a time, also where rows run together
 * @param pinned how the nodes that are pinned to devices run
 */
public record FunctionPlan(
    List<String> ops,
    int fusedOps,
    int loops,
    List<String> changing,
    List<String> rowKernels,
    List<PinnedPlan> pinned) {
  /** The mean size in bytes of a chunk's rows from which on they run one by one. */
  public static final long LARGE_ROW_BYTES = ColumnarRun.LARGE_ROW_BYTES;

  /** Copies the lists. */
  public FunctionPlan {
    ops = List.copyOf(ops);
    changing = List.copyOf(changing);
    rowKernels = List.copyOf(rowKernels);
    pinned = List.copyOf(pinned);
  }

  /**
   * The plan of {@code program}.
   *
   * @throws StatusException UNIMPLEMENTED if an op has no kernel
   */
  static FunctionPlan of(Program program, ProgramInstance instance, List<PinnedPlan> pinned) {
    List<String> ops = new ArrayList<>();
    Set<String> changing = new LinkedHashSet<>();
    Set<String> rowKernels = new LinkedHashSet<>();
    int fused = 0;
    int loops = 0;
    for (int i = 0; i < program.steps().size(); i++) {
      Step step = program.steps().get(i);
      String op = step.node().op().name();
      if (step.group().isPresent()) {
        List<Step> members = step.group().get().steps();
        members.forEach(member -> ops.add(member.node().op().name()));
        fused += members.size() > 1 ? members.size() : 0;
        loops += members.size() > 1 ? 1 : 0;
        continue;
      }
      if (instance.kernel(i) instanceof PinnedKernel kernel) {
        ops.addAll(kernel.ops());
      } else {
        ops.add(op);
      }
      if (step.isStateful()) {
        changing.add("%s (node %s)".formatted(op, step.node().name()));
      }
      if (!takesRows(instance.kernel(i))) {
        rowKernels.add(op);
      }
    }
    return new FunctionPlan(
        ops, fused, loops, List.copyOf(changing), List.copyOf(rowKernels), pinned);
  }

  /** Whether the kernel has a method of its own for many rows. */
  private static boolean takesRows(Kernel kernel) {
    try {
      return !kernel
          .getClass()
          .getMethod("computeRows", RowsCall.class)
          .getDeclaringClass()
          .equals(Kernel.Sync.class);
    } catch (NoSuchMethodException _) {
      return false; // an asynchronous kernel
    }
  }
}
