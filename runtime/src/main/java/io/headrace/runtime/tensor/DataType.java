package io.headrace.runtime.tensor;

import static io.headrace.runtime.tensor.ElementKind.BYTE;
import static io.headrace.runtime.tensor.ElementKind.BYTES;
import static io.headrace.runtime.tensor.ElementKind.DOUBLE_PAIR;
import static io.headrace.runtime.tensor.ElementKind.FLOAT_PAIR;
import static io.headrace.runtime.tensor.ElementKind.INT;
import static io.headrace.runtime.tensor.ElementKind.LONG;
import static io.headrace.runtime.tensor.ElementKind.REFERENCE;
import static io.headrace.runtime.tensor.ElementKind.SHORT;

import io.headrace.runtime.status.StatusException;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** TensorFlow's dtypes, with their wire numbers and names, and the Java arrays that hold them. */
public enum DataType {
  /** IEEE single precision. */
  FLOAT32(1, "float", ElementKind.FLOAT),
  /** IEEE double precision. */
  FLOAT64(2, "double", ElementKind.DOUBLE),
  /** Signed, 32 bits. */
  INT32(3, "int32", INT),
  /** Unsigned, 8 bits. */
  UINT8(4, "uint8", BYTE),
  /** Signed, 16 bits. */
  INT16(5, "int16", SHORT),
  /** Signed, 8 bits. */
  INT8(6, "int8", BYTE),
  /** Bytes of any length. */
  STRING(7, "string", BYTES),
  /** Two float32. */
  COMPLEX64(8, "complex64", FLOAT_PAIR),
  /** Signed, 64 bits. */
  INT64(9, "int64", LONG),
  /** A byte that is 0 or 1. */
  BOOL(10, "bool", BYTE),
  /** Quantized int8. */
  QINT8(11, "qint8", BYTE),
  /** Quantized uint8. */
  QUINT8(12, "quint8", BYTE),
  /** Quantized int32. */
  QINT32(13, "qint32", INT),
  /** The upper half of a float32. */
  BFLOAT16(14, "bfloat16", SHORT),
  /** Quantized int16. */
  QINT16(15, "qint16", SHORT),
  /** Quantized uint16. */
  QUINT16(16, "quint16", SHORT),
  /** Unsigned, 16 bits. */
  UINT16(17, "uint16", SHORT),
  /** Two float64. */
  COMPLEX128(18, "complex128", DOUBLE_PAIR),
  /** IEEE half precision. */
  FLOAT16(19, "half", SHORT),
  /** A resource handle: of a variable, a table. */
  RESOURCE(20, "resource", REFERENCE),
  /** A value of any type: a dataset, a list of tensors, a compressed element. */
  VARIANT(21, "variant", REFERENCE),
  /** Unsigned, 32 bits. */
  UINT32(22, "uint32", INT),
  /** Unsigned, 64 bits. */
  UINT64(23, "uint64", LONG),
  /** A float of 5 exponent bits, with the infinities and NaNs of IEEE; moved and cast only. */
  FLOAT8_E5M2(24, "float8_e5m2", BYTE),
  /** A float of 4 exponent bits, bias 7, with NaNs of both signs; moved and cast only. */
  FLOAT8_E4M3FN(25, "float8_e4m3fn", BYTE),
  /** A float of 4 exponent bits, bias 8, with one NaN and one zero; moved only. */
  FLOAT8_E4M3FNUZ(26, "float8_e4m3fnuz", BYTE),
  /** A float of 4 exponent bits, bias 11, with one NaN and one zero; moved only. */
  FLOAT8_E4M3B11FNUZ(27, "float8_e4m3b11fnuz", BYTE),
  /** A float of 5 exponent bits, bias 16, with one NaN and one zero; moved only. */
  FLOAT8_E5M2FNUZ(28, "float8_e5m2fnuz", BYTE),
  /** Signed, in the lower 4 bits of a byte, whose others mean nothing; moved and cast only. */
  INT4(29, "int4", BYTE),
  /** Unsigned, in the lower 4 bits of a byte; moved and cast only. */
  UINT4(30, "uint4", BYTE),
  /** Signed, in the lower 2 bits of a byte; moved only. */
  INT2(31, "int2", BYTE),
  /** Unsigned, in the lower 2 bits of a byte; moved only. */
  UINT2(32, "uint2", BYTE),
  /** A float of 2 exponent bits, in the lower 4 bits of a byte, all finite; moved only. */
  FLOAT4_E2M1FN(33, "float4_e2m1fn", BYTE);

  private static final Map<Integer, DataType> BY_NUMBER =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(d -> d.number, Function.identity()));
  private static final Map<String, DataType> BY_NAME =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(d -> d.tfName, Function.identity()));

  private final int number;
  private final String tfName;
  private final ElementKind kind;

  DataType(int number, String tfName, ElementKind kind) {
    this.number = number;
    this.tfName = tfName;
    this.kind = kind;
  }

  /** The dtype with the wire number {@code number}; UNIMPLEMENTED for unsupported numbers. */
  public static DataType ofNumber(int number) {
    DataType found = BY_NUMBER.get(number);
    if (found == null) {
      throw StatusException.unimplemented("dtype number %d is not supported", number);
    }
    return found;
  }

  /** The dtype with the name {@code name} in op declarations: {@code float}, {@code int64}, ... */
  public static DataType ofName(String name) {
    DataType found = BY_NAME.get(name);
    if (found == null) {
      throw StatusException.invalidArgument("no dtype is called %s", name);
    }
    return found;
  }

  /** Whether {@code name} is the name of a dtype. */
  public static boolean isName(String name) {
    return BY_NAME.containsKey(name);
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }

  /** TensorFlow's name: {@code float}, {@code double}, {@code half}, {@code int64}, ... */
  public String tfName() {
    return tfName;
  }

  /** The kind of array that holds its elements. */
  public ElementKind kind() {
    return kind;
  }

  /** The size of one element in bytes; 0 for strings, resources and variants. */
  public int byteSize() {
    return kind.elementBytes();
  }

  /** Whether it is a real floating-point type that is computed with: of at least 16 bits. */
  public boolean isFloating() {
    return switch (this) {
      case FLOAT32, FLOAT64, FLOAT16, BFLOAT16 -> true;
      default -> false;
    };
  }

  /** Whether it is a floating-point type of at most 8 bits, whose values {@link Float8} tells. */
  public boolean isFloat8() {
    return switch (this) {
      case FLOAT8_E5M2,
          FLOAT8_E4M3FN,
          FLOAT8_E4M3FNUZ,
          FLOAT8_E4M3B11FNUZ,
          FLOAT8_E5M2FNUZ,
          FLOAT4_E2M1FN ->
          true;
      default -> false;
    };
  }

  /** Whether functions of its numbers have derivatives: it is floating-point or complex. */
  public boolean isDifferentiable() {
    return isFloating() || isComplex();
  }

  /** Whether it has arithmetic: it is floating-point, an integer or complex. */
  public boolean isNumber() {
    return isFloating() || isInteger() || isComplex();
  }

  /** Whether its elements are pairs of a real and an imaginary part. */
  public boolean isComplex() {
    return this == COMPLEX64 || this == COMPLEX128;
  }

  /** The dtype of the parts of a complex dtype; itself for others. */
  public DataType partType() {
    return switch (this) {
      case COMPLEX64 -> FLOAT32;
      case COMPLEX128 -> FLOAT64;
      default -> this;
    };
  }

  /** The complex dtype whose parts are float32 or float64; itself for complex dtypes. */
  public DataType complexType() {
    return switch (this) {
      case FLOAT32, COMPLEX64 -> COMPLEX64;
      case FLOAT64, COMPLEX128 -> COMPLEX128;
      default -> throw new IllegalArgumentException("no complex numbers of " + tfName);
    };
  }

  /** Whether it is an integer type of at least 8 bits that is not quantized. */
  public boolean isInteger() {
    return switch (this) {
      case INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64 -> true;
      default -> false;
    };
  }

  /** Whether it is an unsigned integer type, of any width. */
  public boolean isUnsigned() {
    return switch (this) {
      case UINT8, UINT16, UINT32, UINT64, QUINT8, QUINT16, UINT4, UINT2 -> true;
      default -> false;
    };
  }
}
