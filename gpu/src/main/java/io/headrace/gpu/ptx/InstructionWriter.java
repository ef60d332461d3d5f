package io.headrace.gpu.ptx;

import io.headrace.runtime.expression.LoopProgram.Instruction;

/** Writes the instructions of a program other than loads. */
final class InstructionWriter {
  private final PtxValues values;
  private final IntegerWriter integers;
  private final FloatWriter floats;
  private final ConversionWriter casts;

  InstructionWriter(PtxCode code, PtxValues values, ElementErrorWriter errors) {
    this.values = values;
    this.integers = new IntegerWriter(code, values, errors);
    this.floats = new FloatWriter(code, values);
    this.casts = new ConversionWriter(code, values);
  }

  /** Writes the instruction at {@code position}. */
  void write(int position) {
    switch (values.instruction(position)) {
      case Instruction.Load _, Instruction.Join _ -> {}
      case Instruction.Literal literal -> values.define(position, values.literal(literal), true);
      case Instruction.Cast cast -> casts.write(position, cast.value());
      case Instruction.Compute compute -> {
        switch (values.type(compute.operands().getLast())) {
          case INT, LONG -> integers.write(position, compute);
          default -> floats.write(position, compute);
        }
      }
    }
  }
}
