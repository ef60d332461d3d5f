package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Generates the class of a {@link Scan}. */
final class ScanWriter {
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, CD_Object, CD_int, CD_Object, CD_int, CD_int, CD_int, CD_boolean);

  private final LoopProgram combine;
  private final LoopProgram identity;
  private final DataType dtype;

  private ScanWriter(LoopProgram combine, LoopProgram identity) {
    this.combine = combine;
    this.identity = identity;
    this.dtype = combine.result();
  }

  static byte[] write(LoopProgram combine, LoopProgram identity, ClassDesc self) {
    ScanWriter writer = new ScanWriter(combine, identity);
    return ClassFile.of()
        .build(
            self,
            builder ->
                MethodBodyWriter.begin(builder, Scan.class)
                    .withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, writer::writeRun));
  }

  /** Parameters: 1 in, 2 at, 3 out, 4 to, 5 length, 6 step, 7 exclusive. */
  private void writeRun(CodeBuilder code) {
    MethodBodyWriter body = new MethodBodyWriter(code);
    int in = body.typedArray(1, dtype);
    int out = body.typedArray(3, dtype);
    int sum = body.newLocal(dtype);
    int value = body.newLocal(dtype);
    body.inline(identity, sum);
    Label top = code.newLabel();
    Label done = code.newLabel();
    Label inclusive = code.newLabel();
    Label next = code.newLabel();
    code.labelBinding(top).iload(5).ifle(done);
    body.loadElement(in, 2, 0, dtype, value);
    code.iload(7).ifeq(inclusive);
    body.storeElement(out, 4, dtype, sum);
    body.inline(combine, sum, sum, value);
    code.goto_(next).labelBinding(inclusive);
    body.inline(combine, sum, sum, value);
    body.storeElement(out, 4, dtype, sum);
    code.labelBinding(next).iinc(5, -1);
    code.iload(2).iload(6).iadd().istore(2).iload(4).iload(6).iadd().istore(4);
    code.goto_(top).labelBinding(done).return_();
  }
}
