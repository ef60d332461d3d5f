package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;

/** The JVM type in which scalars of a dtype are computed. */
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

  /** The carrier of {@code dtype}; throws for dtypes without scalar arithmetic. */
  static Carrier of(DataType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32 -> INT;
      case INT64, UINT64 -> LONG;
      case FLOAT16, BFLOAT16, FLOAT32 -> FLOAT;
      case FLOAT64 -> DOUBLE;
      default -> throw new IllegalArgumentException("no arithmetic on " + dtype.tfName());
    };
  }

  /** Whether {@code dtype} has a carrier. */
  static boolean carries(DataType dtype) {
    return dtype == DataType.BOOL || dtype.isFloating() || dtype.isInteger();
  }

  /** The element type of the arrays of {@code dtype}. */
  static TypeKind element(DataType dtype) {
    return TypeKind.fromDescriptor(dtype.kind().slotType().descriptorString());
  }

  /** Whether the carrier is wider than {@code dtype}, so that results must be narrowed. */
  static boolean isNarrow(DataType dtype) {
    return switch (dtype) {
      case INT8, UINT8, INT16, UINT16, FLOAT16, BFLOAT16 -> true;
      default -> false;
    };
  }
}
