package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_short;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;

/** Emits conversions between dtypes. */
final class CastWriter {
  private final CodeBuilder code;
  private final EmittedValues values;

  CastWriter(CodeBuilder code, EmittedValues values) {
    this.code = code;
    this.values = values;
  }

  /**
   * Emits the conversion of the value at {@code from} to {@code target}, as value {@code position}.
   */
  void write(int position, int from, DataType target) {
    if (target == DataType.BOOL) {
      toBool(from);
      values.define(position, true);
      return;
    }
    switch (values.carrier(from)) {
      case INT -> fromInt(from, target);
      case LONG -> fromLong(from, target);
      case FLOAT, DOUBLE -> fromFloating(from, target);
    }
    values.define(position, false);
  }

  private void toBool(int from) {
    values.pushExact(from);
    ClassDesc type = values.carrier(from).desc();
    switch (values.carrier(from)) {
      case INT -> code.iconst_0();
      case LONG -> code.lconst_0();
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
    }
    boolean isFloating = type.equals(CD_float) || type.equals(CD_double);
    values.call(isFloating ? values.test("equal") : "equal", CD_int, type, type);
    code.iconst_1().ixor();
  }

  private void fromInt(int from, DataType target) {
    DataType source = values.dtype(from);
    Carrier carrier = Carrier.of(target);
    if (target == DataType.INT32 && isVectorizedLoad(from)) {
      // HotSpot vectorizes the detour, but not the load of a narrow element as an int.
      pushAsFloat(from);
      code.f2i();
    } else if (carrier == Carrier.INT) {
      values.pushExact(from);
    } else if (carrier == Carrier.FLOAT && values.isVectorized() && isNarrowUnsigned(source)) {
      pushAsFloat(from);
    } else if (source == DataType.UINT32) {
      values.push(from);
      values.call("unsignedIntToLong", CD_long, CD_int);
      code.conversion(Carrier.LONG.kind(), carrier.kind());
    } else {
      values.pushExact(from);
      code.conversion(Carrier.INT.kind(), carrier.kind());
    }
  }

  private static boolean isNarrowUnsigned(DataType dtype) {
    return dtype == DataType.UINT8 || dtype == DataType.UINT16;
  }

  /** Whether the value at {@code from} is one of a narrow array, in a loop that may vectorize. */
  private boolean isVectorizedLoad(int from) {
    return values.isVectorized()
        && values.at(from) instanceof Instruction.Load
        && switch (values.dtype(from)) {
          case BOOL, INT8, UINT8, INT16 -> true;
          default -> false;
        };
  }

  /** Pushes a bool or an integer of up to 16 bits as a float, which is exact. */
  private void pushAsFloat(int from) {
    switch (values.dtype(from)) {
      case UINT8 -> {
        values.push(from);
        code.i2b();
        values.call("unsignedByteToFloat", CD_float, CD_byte);
      }
      case UINT16 -> {
        values.push(from);
        code.i2s();
        values.call("unsignedShortToFloat", CD_float, CD_short);
      }
      default -> {
        values.pushExact(from);
        code.i2f();
      }
    }
  }

  private void fromLong(int from, DataType target) {
    values.push(from);
    Carrier carrier = Carrier.of(target);
    if (values.dtype(from) == DataType.UINT64 && carrier == Carrier.FLOAT) {
      values.call("unsignedLongToFloat", CD_float, CD_long);
    } else if (values.dtype(from) == DataType.UINT64 && carrier == Carrier.DOUBLE) {
      values.call("unsignedLongToDouble", CD_double, CD_long);
    } else {
      code.conversion(Carrier.LONG.kind(), carrier.kind());
    }
  }

  private void fromFloating(int from, DataType target) {
    values.pushExact(from);
    ClassDesc type = values.carrier(from).desc();
    switch (target) {
      case INT8, UINT8, INT16, UINT16, INT4, UINT4 -> values.call("toIntLow", CD_int, type);
      case INT32 -> values.call("toInt", CD_int, type);
      case UINT32 -> {
        values.call("toLong", CD_long, type);
        code.l2i();
      }
      case INT64 -> values.call("toLong", CD_long, type);
      case UINT64 -> values.call("toUnsignedLong", CD_long, type);
      case FLOAT8_E5M2, FLOAT8_E4M3FN -> {
        if (values.carrier(from) == Carrier.DOUBLE) {
          values.call("toOddFloat", CD_float, CD_double);
        }
      }
      default -> code.conversion(values.carrier(from).kind(), Carrier.of(target).kind());
    }
  }
}
