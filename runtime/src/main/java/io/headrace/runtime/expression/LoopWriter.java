package io.headrace.runtime.expression;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/** Generates the class of a {@link Loop}. */
final class LoopWriter {
  /*
   * The form that HotSpot vectorizes: a static method with the arrays as typed parameters, one int
   * index for all arrays, single elements read before the loop, one store. Loop-invariant values
   * are computed before the loop as well.
   */

  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(
          ConstantDescs.CD_void,
          ConstantDescs.CD_Object.arrayType(),
          ConstantDescs.CD_int.arrayType(),
          ConstantDescs.CD_Object,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int);

  private final LoopProgram program;
  private final List<Boolean> single;
  private final ClassDesc self;
  private final boolean[] invariant;

  private LoopWriter(LoopProgram program, List<Boolean> single, ClassDesc self) {
    this.program = program;
    this.single = single;
    this.self = self;
    this.invariant = invariants(program, single);
  }

  /**
   * The class file of a loop of {@code program}; {@code single} marks operands that are one
   * element.
   */
  static byte[] write(LoopProgram program, List<Boolean> single, ClassDesc self) {
    LoopWriter writer = new LoopWriter(program, single, self);
    return ClassFile.of().build(self, writer::writeClass);
  }

  private static boolean[] invariants(LoopProgram program, List<Boolean> single) {
    boolean[] invariant = new boolean[program.instructions().size()];
    for (int i = 0; i < invariant.length; i++) {
      Instruction instruction = program.instructions().get(i);
      invariant[i] =
          instruction instanceof Instruction.Load load
              ? single.get(load.index())
              : LoopProgram.operands(instruction).stream().allMatch(o -> invariant[o]);
    }
    return invariant;
  }

  private void writeClass(ClassBuilder builder) {
    MethodBodyWriter.begin(builder, Loop.class)
        .withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, this::writeRun)
        .withMethodBody("loop", loopType(), ClassFile.ACC_STATIC, this::writeLoop);
  }

  /** (inputs..., out, from, to, at...), with an {@code at} per operand that is a single element. */
  private MethodTypeDesc loopType() {
    List<ClassDesc> parameters = new ArrayList<>();
    program.inputs().forEach(dtype -> parameters.add(MethodBodyWriter.arrayDesc(dtype)));
    parameters.add(MethodBodyWriter.arrayDesc(program.result()));
    parameters.add(ConstantDescs.CD_int);
    parameters.add(ConstantDescs.CD_int);
    single.stream().filter(s -> s).forEach(_ -> parameters.add(ConstantDescs.CD_int));
    return MethodTypeDesc.of(ConstantDescs.CD_void, parameters);
  }

  /** Emits the call of the loop with the arrays cast to their types. */
  private void writeRun(CodeBuilder code) {
    List<DataType> inputs = program.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      code.aload(1).loadConstant(i).aaload().checkcast(MethodBodyWriter.arrayDesc(inputs.get(i)));
    }
    code.aload(3).checkcast(MethodBodyWriter.arrayDesc(program.result())).iload(4).iload(5);
    for (int i = 0; i < inputs.size(); i++) {
      if (single.get(i)) {
        code.aload(2).loadConstant(i).iaload();
      }
    }
    code.invokestatic(self, "loop", loopType()).return_();
  }

  private void writeLoop(CodeBuilder code) {
    int out = program.inputs().size();
    int index = out + 1;
    int to = out + 2;
    EmittedValues values = new EmittedValues(code, program, program.mayVectorize());
    ComputeWriter computes = new ComputeWriter(code, values);
    CastWriter casts = new CastWriter(code, values);
    for (int i = 0; i < invariant.length; i++) {
      if (invariant[i]) {
        writeInstruction(i, code, values, computes, casts);
      }
    }
    Label top = code.newLabel();
    Label end = code.newLabel();
    code.labelBinding(top).iload(index).iload(to).if_icmpge(end);
    for (int i = 0; i < invariant.length; i++) {
      if (!invariant[i]) {
        writeInstruction(i, code, values, computes, casts);
      }
    }
    if (program.instructions().getLast() instanceof Instruction.Join join) {
      writeStore(code, out, index, 0, join.real(), values);
      writeStore(code, out, index, 1, join.imaginary(), values);
    } else {
      writeStore(code, out, index, 0, invariant.length - 1, values);
    }
    code.iinc(index, 1).goto_(top).labelBinding(end).return_();
  }

  private void writeStore(
      CodeBuilder code, int out, int index, int part, int position, EmittedValues values) {
    code.aload(out).iload(index);
    MethodBodyWriter.toSlot(code, program.result(), part);
    values.push(position);
    EmittedValues.toElement(code, program.result());
    code.arrayStore(Carrier.element(program.result()));
  }

  private void writeInstruction(
      int position,
      CodeBuilder code,
      EmittedValues values,
      ComputeWriter computes,
      CastWriter casts) {
    switch (program.instructions().get(position)) {
      case Instruction.Literal _, Instruction.Join _ -> {}
      case Instruction.Load load -> {
        code.aload(load.index()).iload(indexSlot(load.index()));
        MethodBodyWriter.toSlot(code, program.inputs().get(load.index()), load.part());
        TypeKind element = Carrier.element(load.dtype());
        code.arrayLoad(element);
        EmittedValues.fromElement(code, load.dtype());
        values.define(position, EmittedValues.isElementExact(load.dtype()));
      }
      case Instruction.Cast cast -> casts.write(position, cast.value(), cast.dtype());
      case Instruction.Compute compute -> computes.write(position, compute);
    }
  }

  /** The parameter that holds the index of operand {@code input}. */
  private int indexSlot(int input) {
    int slot = program.inputs().size() + 1;
    if (!single.get(input)) {
      return slot;
    }
    slot += 2;
    for (int i = 0; i < input; i++) {
      slot += single.get(i) ? 1 : 0;
    }
    return slot;
  }
}
