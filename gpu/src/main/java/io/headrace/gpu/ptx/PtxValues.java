package io.headrace.gpu.ptx;

import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The values of a program, in registers. Each is in the range of its dtype: it is narrowed, or
 * rounded, where it is defined.
 */
final class PtxValues {
  /** The most that an instruction loads or stores. */
  private static final int MAX_VECTOR_BYTES = 16;

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
    String load = "ld." + space + "." + loadedType(dtype);
    return fromMemory(dtype, code.compute(memoryClass(dtype), load, address));
  }

  /**
   * Writes the load of {@code width} elements of {@code dtype} side by side, aligned as a whole.
   */
  List<Register> loadGroup(DataType dtype, Register address, int width) {
    int atOnce = atOnce(dtype, width);
    List<Register> group = new ArrayList<>();
    for (int first = 0; first < width; first += atOnce) {
      List<Register> loaded = new ArrayList<>();
      for (int i = 0; i < atOnce; i++) {
        loaded.add(code.register(memoryClass(dtype)));
      }
      String load = "ld.global.v" + atOnce + "." + loadedType(dtype);
      code.emit(load, vector(loaded), at(address, first * dtype.byteSize()));
      group.addAll(loaded);
    }
    return group.stream().map(register -> fromMemory(dtype, register)).toList();
  }

  /** Writes a store of the value {@code position}. */
  void store(int position, String address) {
    DataType dtype = dtype(position);
    code.emit("st.global." + storedType(dtype), address, toMemory(dtype, at(position)));
  }

  /** Writes the store of values of {@code dtype} side by side, aligned as a whole. */
  void storeGroup(DataType dtype, List<Register> group, Register address) {
    int atOnce = atOnce(dtype, group.size());
    List<Register> stored = group.stream().map(value -> toMemory(dtype, value)).toList();
    for (int first = 0; first < group.size(); first += atOnce) {
      code.emit(
          "st.global.v" + atOnce + "." + storedType(dtype),
          at(address, first * dtype.byteSize()),
          vector(stored.subList(first, first + atOnce)));
    }
  }

  /** How many of {@code width} elements an instruction moves. */
  private static int atOnce(DataType dtype, int width) {
    return Math.min(width, MAX_VECTOR_BYTES / dtype.byteSize());
  }

  private static String at(Register address, int offset) {
    return "[" + address + "+" + offset + "]";
  }

  private static String vector(List<Register> registers) {
    return registers.stream().map(Register::toString).collect(Collectors.joining(", ", "{", "}"));
  }

  private static RegisterClass memoryClass(DataType dtype) {
    return switch (dtype) {
      case FLOAT16 -> RegisterClass.HALF;
      case BFLOAT16 -> RegisterClass.INT;
      default -> RegisterClass.of(dtype);
    };
  }

  private static String loadedType(DataType dtype) {
    return switch (dtype) {
      case BOOL, UINT8 -> "u8";
      case INT8 -> "s8";
      case INT16 -> "s16";
      case UINT16, BFLOAT16 -> "u16";
      case FLOAT16 -> "b16";
      default -> RegisterClass.of(dtype).ptxType();
    };
  }

  private static String storedType(DataType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8 -> "b8";
      case INT16, UINT16, FLOAT16, BFLOAT16 -> "b16";
      default -> RegisterClass.of(dtype).ptxType();
    };
  }

  private Register fromMemory(DataType dtype, Register register) {
    return switch (dtype) {
      case FLOAT16 -> fromHalf(register);
      case BFLOAT16 -> fromBfloat16(register);
      default -> register;
    };
  }

  private Register toMemory(DataType dtype, Register value) {
    return switch (dtype) {
      case FLOAT16 -> toHalf(value);
      case BFLOAT16 -> toBfloat16(value);
      default -> value;
    };
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
