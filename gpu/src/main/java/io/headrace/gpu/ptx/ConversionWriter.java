package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.DOUBLE;
import static io.headrace.gpu.ptx.RegisterClass.INT;
import static io.headrace.gpu.ptx.RegisterClass.LONG;
import static io.headrace.gpu.ptx.RegisterClass.PREDICATE;

import io.headrace.runtime.tensor.DataType;

/** Writes conversions between dtypes, from floats by the rules of x86, which are the CPU's. */
final class ConversionWriter {
  private static final double TWO_31 = 0x1p31;
  private static final double TWO_63 = 0x1p63;

  private final PtxCode code;
  private final PtxValues values;

  ConversionWriter(PtxCode code, PtxValues values) {
    this.code = code;
    this.values = values;
  }

  /** Writes the conversion of the value at {@code from}, as value {@code position}. */
  void write(int position, int from) {
    DataType target = values.dtype(position);
    Register value = values.at(from);
    if (target == DataType.BOOL) {
      values.define(position, toBool(value), true);
      return;
    }
    boolean isUnsigned =
        values.dtype(from) == DataType.UINT32 || values.dtype(from) == DataType.UINT64;
    Register result =
        switch (value.type()) {
          case INT, LONG -> fromInteger(value, isUnsigned ? "u" : "s", target);
          default -> fromFloat(value, target);
        };
    values.define(position, result, false);
  }

  private Register toBool(Register value) {
    return switch (value.type()) {
      case INT, LONG -> code.toInt(code.test("setp.ne.s" + value.type().bits(), value, 0));
      default ->
          code.toInt(
              code.test(
                  "setp.neu." + value.type().ptxType(), value, PtxCode.literal(value.type(), 0)));
    };
  }

  private Register fromInteger(Register value, String sign, DataType target) {
    RegisterClass type = RegisterClass.of(target);
    String source = sign + value.type().bits();
    if (type == value.type()) {
      return value;
    }
    return switch (type) {
      case INT -> code.compute(INT, "cvt.u32.u64", value);
      case LONG -> code.compute(LONG, "cvt." + sign + "64." + source, value);
      default -> code.compute(type, "cvt.rn." + type.ptxType() + "." + source, value);
    };
  }

  private Register fromFloat(Register value, DataType target) {
    RegisterClass type = RegisterClass.of(target);
    return switch (target) {
      case INT8, UINT8, INT16, UINT16, INT32 -> toInt(value);
      case UINT32 -> code.compute(INT, "cvt.u32.u64", toLong(value));
      case INT64 -> toLong(value);
      case UINT64 -> toUnsignedLong(value);
      default -> {
        if (type == value.type()) {
          yield value;
        }
        yield code.compute(type, type == DOUBLE ? "cvt.f64.f32" : "cvt.rn.f32.f64", value);
      }
    };
  }

  /** The least integer for NaN and where the value is out of range. */
  private Register toInt(Register value) {
    Register fits = isBetween(value, -TWO_31, TWO_31);
    Register truncated = code.compute(INT, "cvt.rzi.s32." + value.type().ptxType(), value);
    return code.choose(INT, fits, truncated, Integer.MIN_VALUE);
  }

  private Register toLong(Register value) {
    Register fits = isBetween(value, -TWO_63, TWO_63);
    Register truncated = code.compute(LONG, "cvt.rzi.s64." + value.type().ptxType(), value);
    return code.choose(LONG, fits, truncated, "0x8000000000000000");
  }

  /** As of signed integers, but with the range from 2^63 to 2^64. */
  private Register toUnsignedLong(Register value) {
    RegisterClass type = value.type();
    Register isUpper = isBetween(value, TWO_63, 2 * TWO_63);
    Register lowered =
        code.compute(type, "sub.rn." + type.ptxType(), value, PtxCode.literal(type, TWO_63));
    Register signed = toLong(code.choose(type, isUpper, lowered, value));
    Register raised = code.compute(LONG, "xor.b64", signed, "0x8000000000000000");
    return code.choose(LONG, isUpper, raised, signed);
  }

  /** Whether a value is at least {@code from} and less than {@code to}. */
  private Register isBetween(Register value, double from, double to) {
    RegisterClass type = value.type();
    Register isAbove = code.test("setp.ge." + type.ptxType(), value, PtxCode.literal(type, from));
    return code.compute(
        PREDICATE, "setp.lt.and." + type.ptxType(), value, PtxCode.literal(type, to), isAbove);
  }
}
