package io.headrace.runtime.expression;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;

/** Emits the common parts of generated fold and scan methods: programs over local variables. */
final class MethodBodyWriter {
  private final CodeBuilder code;

  MethodBodyWriter(CodeBuilder code) {
    this.code = code;
  }

  /** Begins a class that implements {@code type}, and emits its constructor. */
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

  /** The descriptor of the array type of {@code dtype}. */
  static ClassDesc arrayDesc(DataType dtype) {
    return ClassDesc.ofDescriptor(dtype.kind().slotType().descriptorString()).arrayType();
  }

  int newInt() {
    return code.allocateLocal(TypeKind.INT);
  }

  int newLocal(DataType dtype) {
    return code.allocateLocal(Carrier.of(dtype).kind());
  }

  /**
   * Emits a cast of the array in parameter {@code parameter} to its type, into a new local
   * variable.
   */
  int typedArray(int parameter, DataType dtype) {
    int slot = code.allocateLocal(TypeKind.REFERENCE);
    code.aload(parameter).checkcast(arrayDesc(dtype)).astore(slot);
    return slot;
  }

  /**
   * Emits a load of the element at {@code index} plus {@code distance} into {@code slot}, exact.
   */
  void loadElement(int array, int index, int distance, DataType dtype, int slot) {
    code.aload(array).iload(index);
    if (distance != 0) {
      code.loadConstant(distance).iadd();
    }
    code.arrayLoad(Carrier.element(dtype));
    EmittedValues.fromElement(code, dtype);
    if (!EmittedValues.isElementExact(dtype)) {
      EmittedValues.narrow(code, dtype);
    }
    code.storeLocal(Carrier.of(dtype).kind(), slot);
  }

  /** Emits a store of {@code slot} into an element. */
  void storeElement(int array, int index, DataType dtype, int slot) {
    code.aload(array).iload(index).loadLocal(Carrier.of(dtype).kind(), slot);
    EmittedValues.toElement(code, dtype);
    code.arrayStore(Carrier.element(dtype));
  }

  /** Emits a load of {@code constant} into {@code slot}. */
  void constant(Expression.Constant constant, int slot) {
    EmittedValues.pushLiteral(code, constant.dtype(), constant.bits());
    code.storeLocal(Carrier.of(constant.dtype()).kind(), slot);
  }

  /**
   * Emits {@code program} over the values in {@code operands}, with its result in {@code result}.
   */
  void inline(LoopProgram program, int result, int... operands) {
    EmittedValues values = new EmittedValues(code, program, false);
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
