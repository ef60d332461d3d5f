package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;

/** How kernels read indices of a dtype. */
final class IndexKind {
  private IndexKind() {}

  /** The size in bytes of signed integers; 0 for unsigned ones of 8 bits. */
  static int of(DataType dtype) {
    return switch (dtype) {
      case UINT8 -> 0;
      case INT8, INT16, INT32, INT64 -> dtype.byteSize();
      default -> throw new IllegalArgumentException("indices of " + dtype);
    };
  }
}
