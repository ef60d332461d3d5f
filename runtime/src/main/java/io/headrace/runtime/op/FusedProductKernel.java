package io.headrace.runtime.op;

import io.headrace.runtime.expression.LoopProgram;
import java.util.List;

/**
 * A kernel of a CPU that applies an elementwise program to a product of matrices, and which tells
 * it, so that another device can do so.
 */
public interface FusedProductKernel extends Kernel.Sync {
  /** The program: its first operand is the product, the others are the inputs behind the second. */
  LoopProgram epilogue();

  /**
   * For each of the program's operands but the first, whether it has the product's shape; a vector
   * of its columns otherwise.
   */
  List<Boolean> haveProductShape();
}
