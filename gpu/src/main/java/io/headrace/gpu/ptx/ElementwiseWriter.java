package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.INT;
import static io.headrace.gpu.ptx.RegisterClass.LONG;

import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
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
  private final Map<Parameter, Register> arguments = new HashMap<>();
  private final PtxValues values;
  private final boolean[] invariant;

  ElementwiseWriter(
      PtxCode code, LoopProgram program, List<Access> access, List<Parameter> parameters) {
    this.code = code;
    this.program = program;
    this.access = access;
    this.parameters = parameters;
    this.values = new PtxValues(code, program);
    this.invariant = invariants(program, access);
  }

  /** Instructions whose value all elements share, and that cannot fail: an error has an element. */
  private static boolean[] invariants(LoopProgram program, List<Access> access) {
    boolean[] invariant = new boolean[program.instructions().size()];
    for (int i = 0; i < invariant.length; i++) {
      Instruction instruction = program.instructions().get(i);
      invariant[i] =
          instruction instanceof Instruction.Load load
              ? access.get(load.index()) == Access.SINGLE
              : !ElementwisePtx.canFail(program, instruction)
                  && LoopProgram.operands(instruction).stream().allMatch(o -> invariant[o]);
    }
    return invariant;
  }

  /** Writes the loop over the elements of a thread. */
  void write() {
    for (Parameter parameter : parameters) {
      boolean isAddress = parameter.declaration().contains(".u64");
      arguments.put(
          parameter,
          code.compute(
              isAddress ? LONG : INT,
              isAddress ? "ld.param.u64" : "ld.param.u32",
              "[" + parameter.name() + "]"));
    }
    Register blockSize = code.move(INT, "%ntid.x");
    Register thread = code.move(INT, "%tid.x");
    Register block = code.move(INT, "%ctaid.x");
    Register element = code.compute(INT, "mad.lo.u32", block, blockSize, thread);
    Register blocks = code.move(INT, "%nctaid.x");
    Register step = code.compute(INT, "mul.lo.u32", blocks, blockSize);
    Register count = argument(Role.COUNT, 0, 0);
    String end = code.newLabel();
    Register none = code.test("setp.ge.u32", element, count);
    code.emitIf(none, "bra", end);
    InstructionWriter instructions = instructions(element);
    writeAll(true, instructions, element);
    String top = code.newLabel();
    code.place(top);
    writeAll(false, instructions, element);
    store(element);
    code.emit("add.u32", element, element, step);
    Register more = code.test("setp.lt.u32", element, count);
    code.emitIf(more, "bra", top);
    code.place(end);
    code.emit("ret");
  }

  private InstructionWriter instructions(Register element) {
    Parameter word = new Parameter(Role.ERROR, 0, 0);
    Register address = arguments.containsKey(word) ? argument(Role.ERROR, 0, 0) : element;
    return new InstructionWriter(code, values, new ElementErrorWriter(code, address, element));
  }

  private Register argument(Role role, int operand, int dimension) {
    Register register = arguments.get(new Parameter(role, operand, dimension));
    if (register == null) {
      throw new IllegalStateException("no parameter " + role);
    }
    return register;
  }

  /** Writes the instructions that are, or are not, the same for all elements. */
  private void writeAll(boolean isInvariant, InstructionWriter instructions, Register element) {
    Map<Integer, Register> addresses = isInvariant ? single() : varying(element);
    for (int i = 0; i < invariant.length; i++) {
      if (invariant[i] == isInvariant) {
        if (program.instructions().get(i) instanceof Instruction.Load load) {
          int offset = load.part() * load.dtype().byteSize();
          String address = "[" + addresses.get(load.index()) + "+" + offset + "]";
          values.define(i, values.load(load.dtype(), address), true);
        } else {
          instructions.write(i);
        }
      }
    }
  }

  /** The addresses of operands of one element. */
  private Map<Integer, Register> single() {
    Map<Integer, Register> addresses = new HashMap<>();
    for (int i = 0; i < access.size(); i++) {
      addresses.put(i, argument(Role.OPERAND, i, 0));
    }
    return addresses;
  }

  /** Writes the addresses of the other operands' elements. */
  private Map<Integer, Register> varying(Register element) {
    Map<Integer, Register> indices = partialIndices(element);
    Map<Integer, Register> addresses = new HashMap<>();
    for (int i = 0; i < access.size(); i++) {
      if (access.get(i) != Access.SINGLE) {
        addresses.put(
            i,
            address(
                argument(Role.OPERAND, i, 0),
                indices.getOrDefault(i, element),
                program.inputs().get(i)));
      }
    }
    return addresses;
  }

  private Register address(Register base, Register index, DataType dtype) {
    return code.compute(LONG, "mad.wide.u32", index, dtype.byteSize(), base);
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
        Register size = argument(Role.SIZE, 0, dimension);
        Register outer = code.compute(INT, "div.u32", rest, size);
        Register inner = code.compute(INT, "mul.lo.u32", outer, size);
        coordinate = code.compute(INT, "sub.u32", rest, inner);
        rest = outer;
      }
      for (int i = 0; i < access.size(); i++) {
        if (access.get(i) == Access.PARTIAL) {
          Register stride = argument(Role.STRIDE, i, dimension);
          Object sum = indices.containsKey(i) ? indices.get(i) : 0;
          indices.put(i, code.compute(INT, "mad.lo.u32", coordinate, stride, sum));
        }
      }
    }
    return indices;
  }

  private void store(Register element) {
    Register address = address(argument(Role.OUTPUT, 0, 0), element, program.result());
    int last = invariant.length - 1;
    if (program.instructions().getLast() instanceof Instruction.Join join) {
      values.store(join.real(), "[" + address + "]");
      values.store(
          join.imaginary(), "[" + address + "+" + program.result().partType().byteSize() + "]");
    } else {
      values.store(last, "[" + address + "]");
    }
  }
}
