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

  /** The carrier of {@code dtype}; throws for dtypes that are not converted. */
  static Carrier of(DataType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT4, UINT4 -> INT;
      case INT64, UINT64 -> LONG;
      case FLOAT16, BFLOAT16, FLOAT32, FLOAT8_E5M2, FLOAT8_E4M3FN -> FLOAT;
      case FLOAT64 -> DOUBLE;
      default -> throw new IllegalArgumentException("no arithmetic on " + dtype.tfName());
    };
  }

  /** Whether scalars of {@code dtype} are computed with. */
  static boolean carries(DataType dtype) {
    return dtype == DataType.BOOL || dtype.isFloating() || dtype.isInteger();
  }

  /** Whether scalars of {@code dtype} are converted, though not computed with. */
  static boolean isConvertedOnly(DataType dtype) {
    return switch (dtype) {
      case FLOAT8_E5M2, FLOAT8_E4M3FN, INT4, UINT4 -> true;
      default -> false;
    };
  }

  /** The element type of the arrays of {@code dtype}. */
  static TypeKind element(DataType dtype) {
    return TypeKind.fromDescriptor(dtype.kind().slotType().descriptorString());
  }

  /** Whether the carrier is wider than {@code dtype}, so that results must be narrowed. */
  static boolean isNarrow(DataType dtype) {
    return switch (dtype) {
      case INT8, UINT8, INT16, UINT16, FLOAT16, BFLOAT16 -> true;
      default -> isConvertedOnly(dtype);
    };
  }
}
