package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;

/** The JVM's type that a scalar is computed in. */
enum Carrier {
  INT(TypeKind.INT),
  LONG(TypeKind.LONG),
  FLOAT(TypeKind.FLOAT),
  DOUBLE(TypeKind.DOUBLE);

  private final TypeKind kind;

  Carrier(TypeKind kind) {
    this.kind = kind;
  }

  TypeKind kind() {
    return kind;
  }

  ClassDesc desc() {
    return kind.upperBound();
  }

  /** The carrier of {@code dtype}; no expression is over dtypes that have none. */
  static Carrier of(DataType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32 -> INT;
      case INT64, UINT64 -> LONG;
      case FLOAT16, BFLOAT16, FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      default -> throw new IllegalArgumentException("no arithmetic on " + dtype.tfName());
    };
  }

  /** Whether {@link #of} has an answer. */
  static boolean carries(DataType dtype) {
    return dtype == DataType.BOOL || dtype.isFloating() || dtype.isInteger();
  }

  /** The kind of array that holds {@code dtype}. */
  static TypeKind element(DataType dtype) {
    return TypeKind.fromDescriptor(dtype.kind().slotType().descriptorString());
  }

  /**
   * Whether a carrier has room for more than {@code dtype}, so that results must be brought back.
   */
  static boolean isNarrow(DataType dtype) {
    return switch (dtype) {
      case INT8, UINT8, INT16, UINT16, FLOAT16, BFLOAT16 -> true;
      default -> false;
    };
  }
}
