package io.headrace.runtime.execute;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Runs a part of a function on the device it is pinned to, many rows at once if possible. */
final class PinnedKernel implements Kernel.Sync {
  /** Unknown shapes for the outputs that attr {@code Tout} lists. */
  static final ShapeFunction UNKNOWN =
      in -> Collections.nCopies(in.attrs().types("Tout").size(), Shape.UNKNOWN);

  private final PinnedFunction function;

  private PinnedKernel(PinnedFunction function) {
    this.function = function;
  }

  /**
   * The op of a node that replaces {@code function}'s nodes, whose combined effect is {@code
   * effect}.
   */
  static Op op(PinnedFunction function, Effect effect) {
    return Op.define("_HeadracePinned(inputs: [Tin]) -> outputs: [Tout]")
        .attrs("Tin: list(type)", "Tout: list(type)")
        .stateful(effect)
        .touches(Touch.NETWORK)
        .shape(UNKNOWN)
        .blocking(_ -> new PinnedKernel(function));
  }

  /** The ops that it runs, but for constants. */
  List<String> ops() {
    return function.definition().getNodeDefList().stream()
        .map(NodeDef::getOp)
        .filter(op -> !op.equals("Const"))
        .toList();
  }

  @Override
  public void compute(KernelCall call) {
    set(call, call.step().devices().call(function, inputs(call), call.cancellation()));
  }

  @Override
  public boolean computeRows(RowsCall call) {
    List<Boolean> isRows = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      isRows.add(call.isRows(i));
      if (call.input(i).dtype() == DataType.VARIANT) {
        return false;
      }
    }
    if (function.outputTypes().isEmpty() || function.outputTypes().contains(DataType.VARIANT)) {
      return false;
    }
    set(
        call,
        call.step()
            .devices()
            .callRows(function, call.rows(), inputs(call), isRows, call.cancellation()));
    return true;
  }

  private static List<Tensor> inputs(KernelCall call) {
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      inputs.add(call.input(i));
    }
    return inputs;
  }

  private static void set(KernelCall call, CompletableFuture<List<Tensor>> results) {
    List<Tensor> values;
    try {
      values = results.join();
    } catch (CancellationException e) {
      throw new StatusException(StatusCode.CANCELLED, "the operation was cancelled", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException status
          ? status
          : new StatusException(StatusCode.INTERNAL, String.valueOf(e.getCause()), e);
    }
    for (int i = 0; i < values.size(); i++) {
      call.setOutput(i, values.get(i));
    }
  }
}
