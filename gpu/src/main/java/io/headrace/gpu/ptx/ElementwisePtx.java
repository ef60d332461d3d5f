package io.headrace.gpu.ptx;

import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.expression.LoopProgram.Instruction.Compute;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes the kernel of an elementwise program. Sizes, strides and addresses are its parameters, so
 * one kernel serves all shapes of an access pattern. Any grid of one dimension computes all
 * elements: a thread takes each group of {@link PtxKernel#width} elements that is a multiple of the
 * number of threads after its own, and one of the elements that are left over behind the groups.
 */
public final class ElementwisePtx {
  private static final String NAME = "elementwise";
  private static final String HEADER = ".version 7.0\n.target sm_70\n.address_size 64\n";

  /** The results of a group: with floats, the 16 bytes that a thread moves at once. */
  private static final int GROUP = 4;

  /** Longer programs are not bound by memory, and are not written several times. */
  private static final int MAX_INSTRUCTIONS = 32;

  private ElementwisePtx() {}

  /**
   * The results that a thread may compute at once: 4, whose operands and results are loads and
   * stores of up to 16 bytes each; or 1, where elements may have errors, or parts of their own, or
   * the program is long.
   *
   * @param addresses those of the operands; groups of elements must be aligned
   */
  public static int width(LoopProgram program, List<Access> access, List<Long> addresses) {
    boolean isSimple =
        program.instructions().size() <= MAX_INSTRUCTIONS
            && !program.result().isComplex()
            && program.inputs().stream().noneMatch(DataType::isComplex)
            && program.instructions().stream().noneMatch(each -> canFail(program, each));
    for (int i = 0; i < access.size() && isSimple; i++) {
      int bytes = GROUP * program.inputs().get(i).byteSize();
      isSimple = access.get(i) != Access.FULL || addresses.get(i) % bytes == 0;
    }
    return isSimple ? GROUP : 1;
  }

  /**
   * The kernel of {@code program}.
   *
   * @param access how the elements of each operand correspond to the results
   * @param dimensions the number of collapsed dimensions, if an operand is repeated in part
   * @param width at most {@link #width}
   */
  public static PtxKernel of(LoopProgram program, List<Access> access, int dimensions, int width) {
    List<Parameter> parameters = parameters(program, access, dimensions);
    PtxCode code = new PtxCode();
    new ElementwiseWriter(code, program, access, parameters, width).write();
    return kernel(code, parameters, width);
  }

  /** The kernel with the body {@code code}. */
  static PtxKernel kernel(PtxCode code, List<Parameter> parameters, int width) {
    String declarations =
        parameters.stream().map(Parameter::declaration).collect(Collectors.joining(",\n  "));
    String text =
        HEADER
            + MathModule.text(code.callees())
            + ".visible .entry %s(\n  %s)\n{\n%s}\n".formatted(NAME, declarations, code.text());
    return new PtxKernel(text, NAME, parameters, width);
  }

  private static List<Parameter> parameters(
      LoopProgram program, List<Access> access, int dimensions) {
    List<Parameter> parameters = addresses(program);
    parameters.add(1 + access.size(), new Parameter(Role.COUNT, 0, 0));
    if (access.contains(Access.PARTIAL)) {
      for (int dimension = 1; dimension < dimensions; dimension++) {
        parameters.add(new Parameter(Role.SIZE, 0, dimension));
      }
      for (int i = 0; i < access.size(); i++) {
        for (int dimension = 0; dimension < dimensions; dimension++) {
          if (access.get(i) == Access.PARTIAL) {
            parameters.add(new Parameter(Role.STRIDE, i, dimension));
          }
        }
      }
    }
    return parameters;
  }

  /** The parameters of results, operands and, where an element can fail, errors. */
  static List<Parameter> addresses(LoopProgram program) {
    List<Parameter> parameters = new ArrayList<>();
    parameters.add(new Parameter(Role.OUTPUT, 0, 0));
    for (int i = 0; i < program.inputs().size(); i++) {
      parameters.add(new Parameter(Role.OPERAND, i, 0));
    }
    if (program.instructions().stream().anyMatch(instruction -> canFail(program, instruction))) {
      parameters.add(new Parameter(Role.ERROR, 0, 0));
    }
    return parameters;
  }

  /** Whether an instruction may report an error. */
  static boolean canFail(LoopProgram program, Instruction instruction) {
    if (!(instruction instanceof Compute compute)) {
      return false;
    }
    Instruction last = program.instructions().get(compute.operands().getLast());
    DataType dtype = last.dtype();
    return switch (compute.operation()) {
      case DIV, MOD, FLOOR_DIV, FLOOR_MOD ->
          dtype.isInteger() && !(last instanceof Instruction.Literal l && l.bits() != 0);
      case POW -> dtype.isInteger() && dtype != DataType.UINT32 && dtype != DataType.UINT64;
      default -> false;
    };
  }
}
