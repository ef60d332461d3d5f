package io.headrace.cluster.plan;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** Looks up the op of a node of a session's graph. */
public final class OpFinder {
  private final OpRegistry ops;

  public OpFinder(OpRegistry ops) {
    this.ops = ops;
  }

  /** The op of {@code node}; NOT_FOUND, naming op and node, if it is not registered. */
  public Op find(NodeDef node) {
    Op op = ops.find(node.getOp());
    if (op == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Op type not registered '%s' in binary running on Headrace, which node '%s' names:"
              + " neither an op that `headrace ops` lists nor a function of the graph's library. A"
              + " session's master must know all ops of its graph, also of nodes at other tasks:"
              + " take one of these, or open the session at a task that knows it.",
          node.getOp(),
          node.getName());
    }
    return op;
  }
}
