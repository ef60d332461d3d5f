package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Outputs;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Stage, Unstage, StagePeek, StageSize and StageClear. Ops with the same container and shared name
 * (or node name, if that is empty) share a staging area; the op that runs first sets its capacity.
 */
final class StageOps {
  private static final String CANCELLED = "Cancelled with its step.";

  private StageOps() {}

  static List<Op> ops() {
    return List.of(
        op("Stage(values: [dtypes])")
            .remark(CANCELLED)
            .waiting(node ->
                call -> {
                  List<Tensor> tuple = new ArrayList<>();
                  for (int i = 0; i < call.inputs(); i++) {
                    tuple.add(call.input(i).detach());
                  }
                  return Outputs.set(call, area(node, call).put(tuple, call.cancellation()));
                }),
        op("Unstage() -> values: [dtypes]")
            .remark(CANCELLED)
            .waiting(node -> call -> give(node, call, area(node, call).take(call.cancellation()))),
        op("StagePeek(index: int32) -> values: [dtypes]")
            .remark(CANCELLED)
            .waiting(node ->
                call -> {
                  if (call.input(0).shape().rank() != 0) {
                    throw invalidArgument("index must be scalar");
                  }
                  long index = call.input(0).integer(0);
                  return give(node, call, area(node, call).peek(index, call.cancellation()));
                }),
        op("StageSize() -> size: int32")
            .shape(ShapeFunctions.SCALAR)
            .kernel(node -> call -> call.setOutput(0, Tensor.scalar(area(node, call).size()))),
        op("StageClear()").kernel(node -> call -> area(node, call).clear()));
  }

  private static Op.Builder op(String signature) {
    return Op.define(signature)
        .attrs(
            "capacity: int = 0",
            "memory_limit: int = 0",
            "dtypes: list(type)",
            "container: string = ''",
            "shared_name: string = ''")
        .stateful();
  }

  private static StagingArea area(NodeSpec node, KernelCall call) {
    Attrs attrs = node.attrs();
    String shared = attrs.string("shared_name");
    return call.resources()
        .lookupOrCreate(
            attrs.string("container"),
            shared.isEmpty() ? node.name() : shared,
            StagingArea.class,
            () -> new StagingArea(attrs.integer("capacity"), attrs.integer("memory_limit")));
  }

  private static CompletableFuture<Void> give(
      NodeSpec node, KernelCall call, CompletableFuture<List<Tensor>> tuple) {
    int outputs = node.outputTypes().size();
    return Outputs.set(
        call,
        tuple.thenApply(tensors -> {
          if (tensors.size() != outputs) {
            throw invalidArgument("Mismatch stage/unstage: %d vs. %d", tensors.size(), outputs);
          }
          return tensors;
        }));
  }
}
