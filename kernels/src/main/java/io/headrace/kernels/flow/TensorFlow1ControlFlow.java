package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;

/** Declarations of TensorFlow 1's control flow ops, which the executor implements. */
final class TensorFlow1ControlFlow {
  static final String REMARK = "In the graphs of sessions; not in functions.";

  private TensorFlow1ControlFlow() {}

  /** An op without a kernel, for graphs of sessions. */
  static Op op(String signature, String... attrs) {
    return Op.define(signature).attrs(attrs).remark(REMARK).structural();
  }
}
