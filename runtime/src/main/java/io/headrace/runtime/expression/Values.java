package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_short;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** The values of a program in the local variables of the method that is being written. */
final class Values {
  /*
   * A dtype that is narrower than its carrier is brought back to its range (or rounded) only where
   * a value is used whose high bits matter: `exact` says where that is done already. A store of the
   * result needs it never, and most integer operations do not; so most of it is never written.
   */

  static final ClassDesc SCALAR_MATH = desc(ScalarMath.class);
  private static final ClassDesc FLOAT_BOX = desc(Float.class);

  private final CodeBuilder code;
  private final LoopProgram program;
  private final int[] slots;
  private final boolean[] exact;
  private final boolean vectorized;

  /**
   * No values yet.
   *
   * @param vectorized whether the loop may be vectorized, which other forms help than scalar code
   */
  Values(CodeBuilder code, LoopProgram program, boolean vectorized) {
    this.code = code;
    this.program = program;
    this.vectorized = vectorized;
    this.slots = new int[program.instructions().size()];
    this.exact = new boolean[slots.length];
  }

  private static ClassDesc desc(Class<?> type) {
    return ClassDesc.ofDescriptor(type.descriptorString());
  }

  boolean isVectorized() {
    return vectorized;
  }

  Instruction at(int position) {
    return program.instructions().get(position);
  }

  DataType dtype(int position) {
    return at(position).dtype();
  }

  Carrier carrier(int position) {
    return Carrier.of(dtype(position));
  }

  boolean isExact(int position) {
    return exact[position] || at(position) instanceof Instruction.Literal;
  }

  /** Pushes a value whose low bits are right. */
  void push(int position) {
    if (at(position) instanceof Instruction.Literal literal) {
      pushLiteral(code, literal.dtype(), literal.bits());
    } else {
      code.loadLocal(carrier(position).kind(), slots[position]);
    }
  }

  /** Pushes a constant, as {@link Expression.Constant} holds it. */
  static void pushLiteral(CodeBuilder code, DataType dtype, long bits) {
    switch (Carrier.of(dtype)) {
      case INT -> code.loadConstant((int) bits);
      case LONG -> code.loadConstant(bits);
      case FLOAT -> code.loadConstant((float) Double.longBitsToDouble(bits));
      case DOUBLE -> code.loadConstant(Double.longBitsToDouble(bits));
    }
  }

  /** Pushes a value in the range of its dtype. */
  void pushExact(int position) {
    push(position);
    if (!isExact(position)) {
      narrow(code, dtype(position));
    }
  }

  /** Takes the value of {@code position} from the stack. */
  void define(int position, boolean isExact) {
    slots[position] = code.allocateLocal(carrier(position).kind());
    exact[position] = isExact || !Carrier.isNarrow(dtype(position));
    code.storeLocal(carrier(position).kind(), slots[position]);
  }

  /** Lets {@code slot}, whose value is exact, hold the value of {@code position}. */
  void bind(int position, int slot) {
    slots[position] = slot;
    exact[position] = true;
  }

  /** Brings the value on the stack into the range of {@code dtype}. */
  static void narrow(CodeBuilder code, DataType dtype) {
    switch (dtype) {
      case INT8 -> code.i2b();
      case UINT8 -> code.loadConstant(0xff).iand();
      case INT16 -> code.i2s();
      case UINT16 -> code.loadConstant(0xffff).iand();
      case FLOAT16 -> call(code, "roundToFloat16", CD_float, CD_float);
      case BFLOAT16 -> call(code, "roundToBfloat16", CD_float, CD_float);
      default -> {}
    }
  }

  /** Turns an element of an array of {@code dtype}, on the stack, into its value. */
  static void fromElement(CodeBuilder code, DataType dtype) {
    if (dtype == DataType.FLOAT16) {
      code.invokestatic(FLOAT_BOX, "float16ToFloat", MethodTypeDesc.of(CD_float, CD_short));
    } else if (dtype == DataType.BFLOAT16) {
      call(code, "bfloat16ToFloat", CD_float, CD_short);
    }
  }

  /** Whether what {@link #fromElement} gives is exact: a sign of an unsigned type is not. */
  static boolean isElementExact(DataType dtype) {
    return dtype != DataType.UINT8 && dtype != DataType.UINT16;
  }

  /** Turns a value on the stack into an element of an array of {@code dtype}. */
  static void toElement(CodeBuilder code, DataType dtype) {
    if (dtype == DataType.FLOAT16) {
      code.invokestatic(FLOAT_BOX, "floatToFloat16", MethodTypeDesc.of(CD_short, CD_float));
    } else if (dtype == DataType.BFLOAT16) {
      call(code, "floatToBfloat16", CD_short, CD_float);
    }
  }

  private static void call(
      CodeBuilder code, String name, ClassDesc result, ClassDesc... parameters) {
    code.invokestatic(SCALAR_MATH, name, MethodTypeDesc.of(result, parameters));
  }

  /** Calls a method of {@link ScalarMath}. */
  void call(String name, ClassDesc result, ClassDesc... parameters) {
    call(code, name, result, parameters);
  }
}
