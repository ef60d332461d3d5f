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

  /** A local variable for a value of {@code dtype}; of a complex one, the first of two. */
  int newLocal(DataType dtype) {
    int first = code.allocateLocal(carrier(dtype));
    for (int part = 1; part < dtype.kind().slots(); part++) {
      code.allocateLocal(carrier(dtype));
    }
    return first;
  }

  private static TypeKind carrier(DataType dtype) {
    return Carrier.of(dtype.partType()).kind();
  }

  /** The local variable of {@code part} of the value of {@code dtype} in {@code slot}. */
  private static int local(DataType dtype, int slot, int part) {
    return slot + part * carrier(dtype).slotSize();
  }

  /** Turns the index of an element on the stack into that of {@code part} in the array. */
  static void toSlot(CodeBuilder code, DataType dtype, int part) {
    if (dtype.isComplex()) {
      code.iconst_1().ishl();
      if (part != 0) {
        code.iconst_1().ior();
      }
    }
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
    for (int part = 0; part < dtype.kind().slots(); part++) {
      code.aload(array).iload(index);
      if (distance != 0) {
        code.loadConstant(distance).iadd();
      }
      toSlot(code, dtype, part);
      code.arrayLoad(Carrier.element(dtype));
      EmittedValues.fromElement(code, dtype);
      if (!EmittedValues.isElementExact(dtype)) {
        EmittedValues.narrow(code, dtype);
      }
      code.storeLocal(carrier(dtype), local(dtype, slot, part));
    }
  }

  /** Emits a store of {@code slot} into an element. */
  void storeElement(int array, int index, DataType dtype, int slot) {
    for (int part = 0; part < dtype.kind().slots(); part++) {
      code.aload(array).iload(index);
      toSlot(code, dtype, part);
      code.loadLocal(carrier(dtype), local(dtype, slot, part));
      EmittedValues.toElement(code, dtype);
      code.arrayStore(Carrier.element(dtype));
    }
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
        case Instruction.Literal _, Instruction.Join _ -> {}
        case Instruction.Load load ->
            values.bind(
                position,
                local(program.inputs().get(load.index()), operands[load.index()], load.part()));
        case Instruction.Cast cast -> casts.write(position, cast.value(), cast.dtype());
        case Instruction.Compute compute -> computes.write(position, compute);
      }
      position++;
    }
    // A complex result may replace an operand, so both parts are read before either is written.
    DataType dtype = program.result();
    if (program.instructions().getLast() instanceof Instruction.Join join) {
      values.pushExact(join.real());
      values.pushExact(join.imaginary());
      code.storeLocal(carrier(dtype), local(dtype, result, 1));
    } else {
      values.pushExact(position - 1);
    }
    code.storeLocal(carrier(dtype), result);
  }
}
