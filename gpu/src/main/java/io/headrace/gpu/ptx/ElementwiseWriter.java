package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.INT;

import io.headrace.gpu.ptx.ElementBody.Source;
import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the body of an elementwise kernel. */
final class ElementwiseWriter {
  /*
   * Indices have 32 bits: a tensor has less than 2^31 elements, and a step of all threads as well,
   * so an index does not wrap where the last step of a thread goes beyond the end. The
   * division of indices of 64 bits, which repeated operands would need, costs some hundred
   * instructions each. Addresses have 64 bits.
   */

  private final PtxCode code;
  private final LoopProgram program;
  private final List<Access> access;
  private final List<Parameter> parameters;
  private final KernelParameters arguments;

  /** The elements that a thread computes at once. */
  private final int width;

  ElementwiseWriter(
      PtxCode code,
      LoopProgram program,
      List<Access> access,
      List<Parameter> parameters,
      int width) {
    this.code = code;
    this.width = width;
    this.program = program;
    this.access = access;
    this.parameters = parameters;
    this.arguments = KernelParameters.load(code, parameters);
  }

  /** Writes the loop over the groups of a thread, and the elements behind the groups. */
  void write() {
    Register blockSize = code.move(INT, "%ntid.x");
    Register thread = code.move(INT, "%tid.x");
    Register block = code.move(INT, "%ctaid.x");
    Register own = code.compute(INT, "mad.lo.u32", block, blockSize, thread);
    Register blocks = code.move(INT, "%nctaid.x");
    Register step = code.compute(INT, "mul.lo.u32", blocks, blockSize);
    Register count = arguments.get(Role.COUNT);
    Register element = code.move(INT, own);
    ElementBody body = new ElementBody(code, program, access, arguments.errors(code, element));
    body.writeInvariant(arguments.operands(access.size()));
    if (width == 1) {
      loop(element, count, step, () -> writeElement(body, element));
    } else {
      code.emit("mul.lo.u32", element, element, width);
      code.emit("mul.lo.u32", step, step, width);
      Register end = code.compute(INT, "and.b32", count, -width);
      loop(element, end, step, () -> writeGroup(body, element));
      Register left = code.compute(INT, "add.u32", end, own);
      String last = code.newLabel();
      code.emitIf(code.test("setp.ge.u32", left, count), "bra", last);
      writeElement(body, left);
      code.place(last);
    }
    code.emit("ret");
  }

  /** Writes a loop from {@code element}, which may be behind the end. */
  private void loop(Register element, Register end, Register step, Runnable writeBody) {
    String none = code.newLabel();
    code.emitIf(code.test("setp.ge.u32", element, end), "bra", none);
    String top = code.newLabel();
    code.place(top);
    writeBody.run();
    code.emit("add.u32", element, element, step);
    Register more = code.test("setp.lt.u32", element, end);
    code.emitIf(more, "bra", top);
    code.place(none);
  }

  private void writeElement(ElementBody body, Register element) {
    body.writeElement(sources(body, element));
    body.store(arguments.get(Role.OUTPUT), element);
  }

  /**
   * Writes elements side by side: the loads of all first, so that they are on their way at once.
   */
  private void writeGroup(ElementBody body, Register first) {
    List<Map<Integer, Source>> sources = new ArrayList<>();
    boolean hasPartial = access.contains(Access.PARTIAL);
    for (int i = 0; i < width; i++) {
      Register element = hasPartial && i > 0 ? code.compute(INT, "add.u32", first, i) : first;
      sources.add(partialSources(body, element));
    }
    for (int operand = 0; operand < access.size(); operand++) {
      if (access.get(operand) == Access.FULL) {
        DataType dtype = program.inputs().get(operand);
        Register from = body.address(arguments.get(Role.OPERAND, operand, 0), first, dtype);
        List<Source> group = body.loadGroup(dtype, from, width);
        for (int i = 0; i < width; i++) {
          sources.get(i).put(operand, group.get(i));
        }
      }
    }
    List<Register> results = new ArrayList<>();
    for (Map<Integer, Source> each : sources) {
      body.writeElement(each);
      results.add(body.result());
    }
    Register to = body.address(arguments.get(Role.OUTPUT), first, program.result());
    body.storeGroup(results, to);
  }

  /** Writes the addresses of the operands' elements that vary. */
  private Map<Integer, Source> sources(ElementBody body, Register element) {
    Map<Integer, Source> sources = partialSources(body, element);
    for (int i = 0; i < access.size(); i++) {
      if (access.get(i) == Access.FULL) {
        sources.put(i, source(body, i, element));
      }
    }
    return sources;
  }

  /** Writes the addresses of the elements of operands that are repeated in part. */
  private Map<Integer, Source> partialSources(ElementBody body, Register element) {
    Map<Integer, Source> sources = new HashMap<>();
    partialIndices(element).forEach((i, index) -> sources.put(i, source(body, i, index)));
    return sources;
  }

  private Source source(ElementBody body, int operand, Register index) {
    Register base = arguments.get(Role.OPERAND, operand, 0);
    return Source.global(body.address(base, index, program.inputs().get(operand)));
  }

  /** Writes the indices of operands that are repeated in part, from the innermost dimension on. */
  private Map<Integer, Register> partialIndices(Register element) {
    Map<Integer, Register> indices = new HashMap<>();
    if (!access.contains(Access.PARTIAL)) {
      return indices;
    }
    int dimensions =
        1 + (int) parameters.stream().filter(parameter -> parameter.role() == Role.SIZE).count();
    Register rest = element;
    for (int dimension = dimensions - 1; dimension >= 0; dimension--) {
      Register coordinate = rest;
      if (dimension > 0) {
        Register size = arguments.get(Role.SIZE, 0, dimension);
        Register outer = code.compute(INT, "div.u32", rest, size);
        Register inner = code.compute(INT, "mul.lo.u32", outer, size);
        coordinate = code.compute(INT, "sub.u32", rest, inner);
        rest = outer;
      }
      for (int i = 0; i < access.size(); i++) {
        if (access.get(i) == Access.PARTIAL) {
          Register stride = arguments.get(Role.STRIDE, i, dimension);
          Object sum = indices.containsKey(i) ? indices.get(i) : 0;
          indices.put(i, code.compute(INT, "mad.lo.u32", coordinate, stride, sum));
        }
      }
    }
    return indices;
  }
}
