package io.headrace.kernels.flow;

import io.headrace.runtime.op.Op;

/** Declarations of TensorFlow 1's control flow ops, which the executor implements. */
final class TensorFlow1ControlFlow {
  private TensorFlow1ControlFlow() {}

  /** An op without a kernel. */
  static Op op(String signature, String... attrs) {
    return Op.define(signature).attrs(attrs).passesTensors().structural();
  }
}
