package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Generates the class of a {@link Fold}. */
final class FoldWriter {
  /** The number of independent accumulators, which hide the latency of the operation. */
  private static final int LANES = 8;

  private static final MethodTypeDesc ROWS =
      MethodTypeDesc.of(CD_void, CD_Object, CD_int, CD_Object, CD_int, CD_int);
  private static final MethodTypeDesc COLUMNS =
      MethodTypeDesc.of(CD_void, CD_Object, CD_int, CD_Object, CD_int, CD_int, CD_int);
  private static final MethodTypeDesc PAIRS =
      MethodTypeDesc.of(CD_void, CD_Object, CD_Object, CD_int);

  private final LoopProgram combine;
  private final LoopProgram load;
  private final LoopProgram identity;
  private final DataType element;
  private final DataType total;

  private FoldWriter(LoopProgram combine, LoopProgram load, LoopProgram identity) {
    this.combine = combine;
    this.load = load;
    this.identity = identity;
    this.element = load.inputs().getFirst();
    this.total = combine.result();
  }

  static byte[] write(LoopProgram combine, LoopProgram load, LoopProgram identity, ClassDesc self) {
    FoldWriter writer = new FoldWriter(combine, load, identity);
    return ClassFile.of()
        .build(
            self,
            builder ->
                MethodBodyWriter.begin(builder, Fold.class)
                    .withMethodBody("rows", ROWS, ClassFile.ACC_PUBLIC, writer::writeRows)
                    .withMethodBody("columns", COLUMNS, ClassFile.ACC_PUBLIC, writer::writeColumns)
                    .withMethodBody("pairs", PAIRS, ClassFile.ACC_PUBLIC, writer::writePairs));
  }

  /** Parameters: 1 in, 2 at, 3 out, 4 rows, 5 length. */
  private void writeRows(CodeBuilder code) {
    MethodBodyWriter body = new MethodBodyWriter(code);
    int in = body.typedArray(1, element);
    int out = body.typedArray(3, total);
    int row = body.newInt();
    int end = body.newInt();
    int[] lanes = new int[LANES];
    for (int i = 0; i < LANES; i++) {
      lanes[i] = body.newLocal(total);
    }
    code.iconst_0().istore(row);
    Label top = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(top).iload(row).iload(4).if_icmpge(done);
    body.loadElement(out, row, 0, total, lanes[0]);
    for (int i = 1; i < LANES; i++) {
      body.inline(identity, lanes[i]);
    }
    code.iload(2).iload(5).iadd().istore(end);
    writeLanes(code, body, in, end, lanes);
    for (int i = 1; i < LANES; i++) {
      body.inline(combine, lanes[0], lanes[0], lanes[i]);
    }
    body.storeElement(out, row, total, lanes[0]);
    code.iinc(row, 1).goto_(top).labelBinding(done).return_();
  }

  /** Emits the reduction up to {@code end}: first all lanes at a time, then single elements. */
  private void writeLanes(CodeBuilder code, MethodBodyWriter body, int in, int end, int[] lanes) {
    Label many = code.newLabel();
    Label one = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(many).iload(end).iload(2).isub().loadConstant(LANES).if_icmplt(one);
    for (int i = 0; i < LANES; i++) {
      combineElement(body, in, i, lanes[i]);
    }
    code.iinc(2, LANES).goto_(many);
    code.labelBinding(one).iload(2).iload(end).if_icmpge(done);
    combineElement(body, in, 0, lanes[0]);
    code.iinc(2, 1).goto_(one).labelBinding(done);
  }

  private void combineElement(MethodBodyWriter body, int in, int distance, int lane) {
    int value = body.newLocal(element);
    int loaded = body.newLocal(total);
    body.loadElement(in, 2, distance, element, value);
    body.inline(load, loaded, value);
    body.inline(combine, lane, lane, loaded);
  }

  /** Parameters: 1 in, 2 at, 3 out, 4 groups, 5 length, 6 width. */
  private void writeColumns(CodeBuilder code) {
    MethodBodyWriter body = new MethodBodyWriter(code);
    int in = body.typedArray(1, element);
    int out = body.typedArray(3, total);
    int start = body.newInt();
    int run = body.newInt();
    int to = body.newInt();
    int end = body.newInt();
    code.iconst_0().istore(start);
    Label group = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(group).iload(4).ifle(done).iconst_0().istore(run);
    Label nextRun = code.newLabel();
    Label nextGroup = code.newLabel();
    code.labelBinding(nextRun).iload(run).iload(5).if_icmpge(nextGroup);
    code.iload(start).istore(to).iload(start).iload(6).iadd().istore(end);
    writeRun(code, body, in, out, to, end);
    code.iinc(run, 1).goto_(nextRun).labelBinding(nextGroup);
    code.iload(start).iload(6).iadd().istore(start);
    code.iinc(4, -1).goto_(group).labelBinding(done).return_();
  }

  private void writeRun(CodeBuilder code, MethodBodyWriter body, int in, int out, int to, int end) {
    int value = body.newLocal(element);
    int loaded = body.newLocal(total);
    int sum = body.newLocal(total);
    Label top = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(top).iload(to).iload(end).if_icmpge(done);
    body.loadElement(in, 2, 0, element, value);
    body.inline(load, loaded, value);
    body.loadElement(out, to, 0, total, sum);
    body.inline(combine, sum, sum, loaded);
    body.storeElement(out, to, total, sum);
    code.iinc(to, 1).iinc(2, 1).goto_(top).labelBinding(done);
  }

  /** Parameters: 1 in, 2 out, 3 count. */
  private void writePairs(CodeBuilder code) {
    MethodBodyWriter body = new MethodBodyWriter(code);
    int in = body.typedArray(1, element);
    int out = body.typedArray(2, total);
    int index = body.newInt();
    int value = body.newLocal(element);
    int loaded = body.newLocal(total);
    int sum = body.newLocal(total);
    Label top = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(index);
    code.labelBinding(top).iload(index).iload(3).if_icmpge(done);
    body.loadElement(in, index, 0, element, value);
    body.inline(load, loaded, value);
    body.loadElement(out, index, 0, total, sum);
    body.inline(combine, sum, sum, loaded);
    body.storeElement(out, index, total, sum);
    code.iinc(index, 1).goto_(top).labelBinding(done).return_();
  }
}
