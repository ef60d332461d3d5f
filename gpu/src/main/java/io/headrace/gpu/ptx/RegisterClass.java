package io.headrace.gpu.ptx;

import io.headrace.runtime.tensor.DataType;

/** A class of PTX registers; scalars are computed in the last four, as on the CPU. */
enum RegisterClass {
  /** One bit. */
  PREDICATE("%p", "pred"),
  /** The bits of a half. */
  HALF("%h", "b16"),
  /** Bools, and integers of up to 32 bits, extended by their sign or by zeros. */
  INT("%r", "b32"),
  /** Integers of 64 bits, and addresses. */
  LONG("%rd", "b64"),
  /** Floats, halves and bfloat16s. */
  FLOAT("%f", "f32"),
  /** Doubles. */
  DOUBLE("%fd", "f64");

  private final String prefix;
  private final String ptxType;

  RegisterClass(String prefix, String ptxType) {
    this.prefix = prefix;
    this.ptxType = ptxType;
  }

  /** The class in which scalars of {@code dtype} are computed; throws if there is none. */
  static RegisterClass of(DataType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32 -> INT;
      case INT64, UINT64 -> LONG;
      case FLOAT16, BFLOAT16, FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      default -> throw new IllegalArgumentException("no arithmetic on " + dtype.tfName());
    };
  }

  /** The start of its registers' names. */
  String prefix() {
    return prefix;
  }

  /** The type of its registers, which is also that of moves and selections. */
  String ptxType() {
    return ptxType;
  }

  /** The width in bits. */
  int bits() {
    return switch (this) {
      case PREDICATE -> 1;
      case HALF -> 16;
      case INT, FLOAT -> 32;
      case LONG, DOUBLE -> 64;
    };
  }
}
