package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;

/** The numbers of dtypes in {@code elements.cuh}. */
final class DtypeCode {
  /** The unsigned 64-bit integers as signed ones of the same order. */
  static final int ORDERED_UINT64 = 11;

  private DtypeCode() {}

  /** The number of {@code dtype}; unsigned 64-bit integers count as signed ones. */
  static int of(DataType dtype) {
    return switch (dtype) {
      case FLOAT64 -> 0;
      case FLOAT32 -> 1;
      case FLOAT16 -> 2;
      case BFLOAT16 -> 3;
      case INT64, UINT64 -> 4;
      case INT32 -> 5;
      case INT16 -> 6;
      case INT8 -> 7;
      case UINT32 -> 8;
      case UINT16 -> 9;
      case UINT8, BOOL -> 10;
      default -> throw new IllegalArgumentException("a kernel of " + dtype);
    };
  }

  /** The same, for kernels that compare. */
  static int ordered(DataType dtype) {
    return dtype == DataType.UINT64 ? ORDERED_UINT64 : of(dtype);
  }
}
