package io.headrace.runtime.expression;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;

/** What the methods of folds and scans are written with: programs over local variables. */
final class BodyWriter {
  private final CodeBuilder code;

  BodyWriter(CodeBuilder code) {
    this.code = code;
  }

  /** Begins a class that implements {@code type}, with its constructor. */
  static ClassBuilder begin(ClassBuilder builder, Class<?> type) {
    return builder
        .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
        .withInterfaceSymbols(ClassDesc.ofDescriptor(type.descriptorString()))
        .withMethodBody(
            ConstantDescs.INIT_NAME,
            ConstantDescs.MTD_void,
            0,
            code ->
                code.aload(0)
                    .invokespecial(
                        ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                    .return_());
  }

  /** The type of arrays that hold {@code dtype}. */
  static ClassDesc arrayDesc(DataType dtype) {
    return ClassDesc.ofDescriptor(dtype.kind().slotType().descriptorString()).arrayType();
  }

  int newInt() {
    return code.allocateLocal(TypeKind.INT);
  }

  int newLocal(DataType dtype) {
    return code.allocateLocal(Carrier.of(dtype).kind());
  }

  /** A local variable for the array that the parameter {@code parameter} holds as an object. */
  int typedArray(int parameter, DataType dtype) {
    int slot = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(parameter).checkcast(arrayDesc(dtype)).astore(slot);
    return slot;
  }

  /** Sets {@code slot} to the element at {@code index} plus {@code distance}, exactly. */
  void loadElement(int array, int index, int distance, DataType dtype, int slot) {
    code.aload(array).iload(index);
    if (distance != 0) {
      code.loadConstant(distance).iadd();
    }
    code.arrayLoad(Carrier.element(dtype));
    Values.fromElement(code, dtype);
    if (!Values.isElementExact(dtype)) {
      Values.narrow(code, dtype);
    }
    code.storeLocal(Carrier.of(dtype).kind(), slot);
  }

  /** Sets an element to the value in {@code slot}. */
  void storeElement(int array, int index, DataType dtype, int slot) {
    code.aload(array).iload(index).loadLocal(Carrier.of(dtype).kind(), slot);
    Values.toElement(code, dtype);
    code.arrayStore(Carrier.element(dtype));
  }

  /** Sets {@code slot} to {@code constant}. */
  void constant(Expression.Constant constant, int slot) {
    Values.pushLiteral(code, constant.dtype(), constant.bits());
    code.storeLocal(Carrier.of(constant.dtype()).kind(), slot);
  }

  /** Sets {@code result} to what {@code program} gives for the values in {@code operands}. */
  void inline(LoopProgram program, int result, int... operands) {
    Values values = new Values(code, program, false);
    ComputeWriter computes = new ComputeWriter(code, values);
    CastWriter casts = new CastWriter(code, values);
    int position = 0;
    for (Instruction instruction : program.instructions()) {
      switch (instruction) {
        case Instruction.Literal _ -> {}
        case Instruction.Load load -> values.bind(position, operands[load.index()]);
        case Instruction.Cast cast -> casts.write(position, cast.value(), cast.dtype());
        case Instruction.Compute compute -> computes.write(position, compute);
      }
      position++;
    }
    values.pushExact(position - 1);
    code.storeLocal(Carrier.of(program.result()).kind(), result);
  }
}
