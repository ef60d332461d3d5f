package io.headrace.gpu.ptx;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The body of a function that is being written: registers, labels, instructions. */
final class PtxCode {
  private final StringBuilder body = new StringBuilder();
  private final Map<RegisterClass, Integer> registers = new EnumMap<>(RegisterClass.class);
  private final TreeSet<String> callees = new TreeSet<>();
  private int labels;

  /** A new register. */
  Register register(RegisterClass type) {
    return new Register(type, registers.merge(type, 1, Integer::sum) - 1);
  }

  /** Writes an instruction; an operand is a register, a literal, or text. */
  void emit(String opcode, Object... operands) {
    body.append("  ").append(opcode);
    if (operands.length > 0) {
      body.append(
          Arrays.stream(operands).map(Object::toString).collect(Collectors.joining(", ", " ", "")));
    }
    body.append(";\n");
  }

  /** Writes an instruction whose result is a new register. */
  Register compute(RegisterClass type, String opcode, Object... operands) {
    Register result = register(type);
    Object[] all = new Object[operands.length + 1];
    all[0] = result;
    System.arraycopy(operands, 0, all, 1, operands.length);
    emit(opcode, all);
    return result;
  }

  /** Writes a comparison. */
  Register test(String opcode, Object... operands) {
    return compute(RegisterClass.PREDICATE, opcode, operands);
  }

  /** Writes a choice between two values of {@code type}. */
  Register choose(RegisterClass type, Register predicate, Object ifTrue, Object ifFalse) {
    return compute(type, "selp." + type.ptxType(), ifTrue, ifFalse, predicate);
  }

  /** Writes a predicate as 1 or 0. */
  Register toInt(Register predicate) {
    return choose(RegisterClass.INT, predicate, 1, 0);
  }

  /** Writes a copy of a register or literal into a new register. */
  Register move(RegisterClass type, Object value) {
    return compute(type, "mov." + type.ptxType(), value);
  }

  /** Writes an instruction that runs where {@code predicate} holds. */
  void emitIf(Register predicate, String opcode, Object... operands) {
    emit("@" + predicate + " " + opcode, operands);
  }

  /** Writes an instruction that runs where {@code predicate} does not hold. */
  void emitUnless(Register predicate, String opcode, Object... operands) {
    emit("@!" + predicate + " " + opcode, operands);
  }

  /** A new label, not yet placed. */
  String newLabel() {
    return "$L" + labels++;
  }

  /** Lets {@code label} stand for the next instruction. */
  void place(String label) {
    body.append(label).append(":\n");
  }

  /** Writes a call of a function of doubles. */
  Register call(String function, List<Register> arguments) {
    callees.add(function);
    Register result = register(RegisterClass.DOUBLE);
    body.append("  {\n");
    for (int i = 0; i < arguments.size(); i++) {
      emit(".param .b64 argument" + i);
      emit("st.param.f64", "[argument" + i + "]", arguments.get(i));
    }
    emit(".param .b64 result");
    String names =
        IntStream.range(0, arguments.size())
            .mapToObj(i -> "argument" + i)
            .collect(Collectors.joining(", ", "(", ")"));
    emit("call", "(result)", function, names);
    emit("ld.param.f64", result, "[result]");
    body.append("  }\n");
    return result;
  }

  /** The functions that are called. */
  List<String> callees() {
    return List.copyOf(callees);
  }

  /** The declarations of the registers, and the instructions. */
  String text() {
    StringBuilder text = new StringBuilder();
    registers.forEach((type, count) ->
        text.append("  .reg .%s %s<%d>;\n".formatted(type.ptxType(), type.prefix(), count)));
    return text.append(body).toString();
  }

  /** A float literal, by its bits. */
  static String literal(float value) {
    return "0f%08X".formatted(Float.floatToRawIntBits(value));
  }

  /** A double literal, by its bits. */
  static String literal(double value) {
    return "0d%016X".formatted(Double.doubleToRawLongBits(value));
  }

  /** A literal of the class FLOAT or DOUBLE. */
  static String literal(RegisterClass type, double value) {
    return type == RegisterClass.FLOAT ? literal((float) value) : literal(value);
  }
}
