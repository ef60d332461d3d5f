package io.headrace.cluster;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;

/** Finds the op of a node of a session's graph. */
final class OpFinder {
  private final OpRegistry ops;

  OpFinder(OpRegistry ops) {
    this.ops = ops;
  }

  /** The op; NOT_FOUND naming op and node if there is none. */
  Op find(NodeDef node) {
    Op op = ops.find(node.getOp());
    if (op == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Op type not registered '%s' in binary running on Headrace. Make sure the Op is one that"
              + " it supports, and that a function of that name is in the graph's library: node"
              + " '%s'",
          node.getOp(),
          node.getName());
    }
    return op;
  }
}
