package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.INT;

import io.headrace.gpu.ptx.ElementBody.Source;
import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the body of an elementwise kernel. */
final class ElementwiseWriter {
  /*
   * Indices have 32 bits: a tensor has less than 2^31 elements, and a launch less than 2^31
   * threads, so an index does not wrap where the last step of a thread goes beyond the end. The
   * division of indices of 64 bits, which repeated operands would need, costs some hundred
   * instructions each. Addresses have 64 bits.
   */

  private final PtxCode code;
  private final LoopProgram program;
  private final List<Access> access;
  private final List<Parameter> parameters;
  private final KernelParameters arguments;

  ElementwiseWriter(
      PtxCode code, LoopProgram program, List<Access> access, List<Parameter> parameters) {
    this.code = code;
    this.program = program;
    this.access = access;
    this.parameters = parameters;
    this.arguments = KernelParameters.load(code, parameters);
  }

  /** Writes the loop over the elements of a thread. */
  void write() {
    Register blockSize = code.move(INT, "%ntid.x");
    Register thread = code.move(INT, "%tid.x");
    Register block = code.move(INT, "%ctaid.x");
    Register element = code.compute(INT, "mad.lo.u32", block, blockSize, thread);
    Register blocks = code.move(INT, "%nctaid.x");
    Register step = code.compute(INT, "mul.lo.u32", blocks, blockSize);
    Register count = arguments.get(Role.COUNT);
    String end = code.newLabel();
    Register none = code.test("setp.ge.u32", element, count);
    code.emitIf(none, "bra", end);
    ElementBody body = new ElementBody(code, program, access, arguments.errors(code, element));
    body.writeInvariant(arguments.operands(access.size()));
    String top = code.newLabel();
    code.place(top);
    body.writeElement(sources(body, element));
    body.store(arguments.get(Role.OUTPUT), element);
    code.emit("add.u32", element, element, step);
    Register more = code.test("setp.lt.u32", element, count);
    code.emitIf(more, "bra", top);
    code.place(end);
    code.emit("ret");
  }

  /** Writes the addresses of the operands' elements that vary. */
  private Map<Integer, Source> sources(ElementBody body, Register element) {
    Map<Integer, Register> indices = partialIndices(element);
    Map<Integer, Source> sources = new HashMap<>();
    for (int i = 0; i < access.size(); i++) {
      if (access.get(i) != Access.SINGLE) {
        Register index = indices.getOrDefault(i, element);
        Register operand = arguments.get(Role.OPERAND, i, 0);
        sources.put(i, Source.global(body.address(operand, index, program.inputs().get(i))));
      }
    }
    return sources;
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
