package io.headrace.gpu.ptx;

import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;

/**
 * The values of a program, in registers. Each is in the range of its dtype: it is narrowed, or
 * rounded, where it is defined.
 */
final class PtxValues {
  private final PtxCode code;
  private final LoopProgram program;
  private final Register[] registers;

  PtxValues(PtxCode code, LoopProgram program) {
    this.code = code;
    this.program = program;
    this.registers = new Register[program.instructions().size()];
  }

  Instruction instruction(int position) {
    return program.instructions().get(position);
  }

  DataType dtype(int position) {
    return instruction(position).dtype();
  }

  RegisterClass type(int position) {
    return RegisterClass.of(dtype(position));
  }

  /** The register of a value that is defined. */
  Register at(int position) {
    return registers[position];
  }

  /** Lets {@code register} be a value; unless it is {@code exact}, its narrowed form. */
  void define(int position, Register register, boolean exact) {
    registers[position] = exact ? register : narrowed(register, dtype(position));
  }

  private Register narrowed(Register register, DataType dtype) {
    return switch (dtype) {
      case INT8 -> code.compute(RegisterClass.INT, "cvt.s32.s8", register);
      case INT16 -> code.compute(RegisterClass.INT, "cvt.s32.s16", register);
      case UINT8 -> code.compute(RegisterClass.INT, "and.b32", register, 0xff);
      case UINT16 -> code.compute(RegisterClass.INT, "and.b32", register, 0xffff);
      case FLOAT16 -> fromHalf(toHalf(register));
      case BFLOAT16 -> fromBfloat16(toBfloat16(register));
      default -> register;
    };
  }

  private Register toHalf(Register value) {
    return code.compute(RegisterClass.HALF, "cvt.rn.f16.f32", value);
  }

  private Register fromHalf(Register bits) {
    return code.compute(RegisterClass.FLOAT, "cvt.f32.f16", bits);
  }

  private Register fromBfloat16(Register bits) {
    return code.move(RegisterClass.FLOAT, code.compute(RegisterClass.INT, "shl.b32", bits, 16));
  }

  /** Rounds to nearest even, in the low 16 bits; NaN stays NaN. */
  private Register toBfloat16(Register value) {
    Register bits = code.move(RegisterClass.INT, value);
    Register odd = code.compute(RegisterClass.INT, "bfe.u32", bits, 16, 1);
    Register rounded = code.compute(RegisterClass.INT, "add.u32", bits, 0x7fff);
    code.emit("add.u32", rounded, rounded, odd);
    code.emit("shr.u32", rounded, rounded, 16);
    Register isNan = code.test("setp.nan.f32", value, value);
    return code.choose(RegisterClass.INT, isNan, 0x7fc0, rounded);
  }

  /** Writes a load of an element of {@code dtype} from a state space. */
  Register load(String space, DataType dtype, String address) {
    String load = "ld." + space + ".";
    return switch (dtype) {
      case BOOL, UINT8 -> code.compute(RegisterClass.INT, load + "u8", address);
      case INT8 -> code.compute(RegisterClass.INT, load + "s8", address);
      case INT16 -> code.compute(RegisterClass.INT, load + "s16", address);
      case UINT16 -> code.compute(RegisterClass.INT, load + "u16", address);
      case FLOAT16 -> fromHalf(code.compute(RegisterClass.HALF, load + "b16", address));
      case BFLOAT16 -> fromBfloat16(code.compute(RegisterClass.INT, load + "u16", address));
      default -> {
        RegisterClass type = RegisterClass.of(dtype);
        yield code.compute(type, load + type.ptxType(), address);
      }
    };
  }

  /** Writes a store of the value {@code position}. */
  void store(int position, String address) {
    Register value = at(position);
    DataType dtype = dtype(position);
    switch (dtype) {
      case BOOL, INT8, UINT8 -> code.emit("st.global.b8", address, value);
      case INT16, UINT16 -> code.emit("st.global.b16", address, value);
      case FLOAT16 -> code.emit("st.global.b16", address, toHalf(value));
      case BFLOAT16 -> code.emit("st.global.b16", address, toBfloat16(value));
      default -> code.emit("st.global." + value.type().ptxType(), address, value);
    }
  }

  /** Writes a constant, in the representation of an Expression's. */
  Register literal(Instruction.Literal literal) {
    RegisterClass type = RegisterClass.of(literal.dtype());
    return code.move(
        type,
        switch (type) {
          case INT -> (int) literal.bits();
          case LONG -> literal.bits();
          default -> PtxCode.literal(type, Double.longBitsToDouble(literal.bits()));
        });
  }
}
