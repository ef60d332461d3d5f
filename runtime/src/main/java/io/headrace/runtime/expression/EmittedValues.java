package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_short;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Float8;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** The values of a program, in local variables of the generated method. */
final class EmittedValues {
  /*
   * A value of a dtype narrower than its carrier is narrowed (or rounded) only where a use depends
   * on its high bits; `exact` marks values that are already narrowed. Stores and most integer
   * operations do not depend on them, so most narrowing is never emitted.
   */

  static final ClassDesc SCALAR_MATH = desc(ScalarMath.class);
  private static final ClassDesc FLOAT_BOX = desc(Float.class);
  private static final ClassDesc FLOAT8 = desc(Float8.class);

  private final CodeBuilder code;
  private final LoopProgram program;
  private final int[] slots;
  private final boolean[] exact;
  private final boolean vectorized;

  /**
   * An empty set of values.
   *
   * @param vectorized whether HotSpot may vectorize the loop, which favors forms without branches
   */
  EmittedValues(CodeBuilder code, LoopProgram program, boolean vectorized) {
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

  /** The method of {@link ScalarMath} for a test of floating numbers, in the form for the loop. */
  String test(String name) {
    return vectorized ? name : name + "InScalar";
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

  /** Pushes a value of which only the low bits are defined. */
  void push(int position) {
    if (at(position) instanceof Instruction.Literal literal) {
      pushLiteral(code, literal.dtype(), literal.bits());
    } else {
      code.loadLocal(carrier(position).kind(), slots[position]);
    }
  }

  /** Pushes a constant in the representation of {@link Expression.Constant}. */
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

  /** Pops the stack into a local variable for the value {@code position}. */
  void define(int position, boolean isExact) {
    slots[position] = code.allocateLocal(carrier(position).kind());
    exact[position] = isExact || !Carrier.isNarrow(dtype(position));
    code.storeLocal(carrier(position).kind(), slots[position]);
  }

  /** Binds the value {@code position} to {@code slot}, which holds an exact value. */
  void bind(int position, int slot) {
    slots[position] = slot;
    exact[position] = true;
  }

  /** Narrows the value on the stack to the range of {@code dtype}. */
  static void narrow(CodeBuilder code, DataType dtype) {
    switch (dtype) {
      case INT8 -> code.i2b();
      case UINT8 -> code.loadConstant(0xff).iand();
      case INT16 -> code.i2s();
      case UINT16 -> code.loadConstant(0xffff).iand();
      case FLOAT16 -> call(code, "roundToFloat16", CD_float, CD_float);
      case BFLOAT16 -> call(code, "roundToBfloat16", CD_float, CD_float);
      case FLOAT8_E5M2 -> callFloat8(code, "roundToE5m2", CD_float, CD_float);
      case FLOAT8_E4M3FN -> callFloat8(code, "roundToE4m3fn", CD_float, CD_float);
      case INT4 -> code.loadConstant(28).ishl().loadConstant(28).ishr();
      case UINT4 -> code.loadConstant(0xf).iand();
      default -> {}
    }
  }

  /** Converts an array element of {@code dtype} on the stack to its value. */
  static void fromElement(CodeBuilder code, DataType dtype) {
    switch (dtype) {
      case FLOAT16 ->
          code.invokestatic(FLOAT_BOX, "float16ToFloat", MethodTypeDesc.of(CD_float, CD_short));
      case BFLOAT16 -> call(code, "bfloat16ToFloat", CD_float, CD_short);
      case FLOAT8_E5M2 -> callFloat8(code, "ofE5m2", CD_float, CD_byte);
      case FLOAT8_E4M3FN -> callFloat8(code, "ofE4m3fn", CD_float, CD_byte);
      default -> {}
    }
  }

  /**
   * Whether the value from {@link #fromElement} is exact: of unsigned bytes and shorts it is not,
   * as it is sign-extended, nor of 4 bits, as a peer may have sent others in their byte.
   */
  static boolean isElementExact(DataType dtype) {
    return switch (dtype) {
      case UINT8, UINT16, INT4, UINT4 -> false;
      default -> true;
    };
  }

  /** Converts a value on the stack to an array element of {@code dtype}. */
  static void toElement(CodeBuilder code, DataType dtype) {
    switch (dtype) {
      case FLOAT16 ->
          code.invokestatic(FLOAT_BOX, "floatToFloat16", MethodTypeDesc.of(CD_short, CD_float));
      case BFLOAT16 -> call(code, "floatToBfloat16", CD_short, CD_float);
      case FLOAT8_E5M2 -> callFloat8(code, "toE5m2", CD_byte, CD_float);
      case FLOAT8_E4M3FN -> callFloat8(code, "toE4m3fn", CD_byte, CD_float);
      case INT4, UINT4 -> code.loadConstant(0xf).iand();
      default -> {}
    }
  }

  private static void callFloat8(
      CodeBuilder code, String name, ClassDesc result, ClassDesc parameter) {
    code.invokestatic(FLOAT8, name, MethodTypeDesc.of(result, parameter));
  }

  private static void call(
      CodeBuilder code, String name, ClassDesc result, ClassDesc... parameters) {
    code.invokestatic(SCALAR_MATH, name, MethodTypeDesc.of(result, parameters));
  }

  /** Emits a call of a method of {@link ScalarMath}. */
  void call(String name, ClassDesc result, ClassDesc... parameters) {
    call(code, name, result, parameters);
  }
}
