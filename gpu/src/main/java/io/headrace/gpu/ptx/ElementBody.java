package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.LONG;

import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Writes what a kernel computes for one element; the caller writes the loop around it. */
final class ElementBody {
  /** The place of an operand's element. */
  sealed interface Source {
    /** An address in the memory of the device. */
    static Source global(Register address) {
      return new Address(address, "global");
    }
  }

  /**
   * The address of an element.
   *
   * @param space the state space: global or shared
   */
  record Address(Register address, String space) implements Source {}

  /** An element that was loaded, as a value of its dtype. */
  record Loaded(Register value) implements Source {}

  private final PtxCode code;
  private final LoopProgram program;
  private final List<Access> access;
  private final PtxValues values;
  private final InstructionWriter instructions;

  /** The instructions whose value all elements share. */
  private final boolean[] invariant;

  /**
   * A writer of elements.
   *
   * @param errors reports the elements that fail
   */
  ElementBody(PtxCode code, LoopProgram program, List<Access> access, ElementErrorWriter errors) {
    this.code = code;
    this.program = program;
    this.access = access;
    this.values = new PtxValues(code, program);
    this.instructions = new InstructionWriter(code, values, errors);
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

  /**
   * Writes the instructions that are the same for all elements.
   *
   * @param operands the addresses of the operands
   */
  void writeInvariant(List<Register> operands) {
    Map<Integer, Source> sources = new HashMap<>();
    for (int i = 0; i < access.size(); i++) {
      sources.put(i, Source.global(operands.get(i)));
    }
    write(true, sources);
  }

  /**
   * Writes the instructions of one element.
   *
   * @param sources where the elements of the operands are that vary
   */
  void writeElement(Map<Integer, Source> sources) {
    write(false, sources);
  }

  private void write(boolean isInvariant, Map<Integer, Source> sources) {
    for (int i = 0; i < invariant.length; i++) {
      if (invariant[i] != isInvariant) {
        continue;
      }
      if (program.instructions().get(i) instanceof Instruction.Load load) {
        values.define(i, value(load, Objects.requireNonNull(sources.get(load.index()))), true);
      } else {
        instructions.write(i);
      }
    }
  }

  private Register value(Instruction.Load load, Source source) {
    return switch (source) {
      case Loaded(Register value) -> value;
      case Address(Register address, String space) -> {
        int offset = load.part() * load.dtype().byteSize();
        yield values.load(space, load.dtype(), "[" + address + "+" + offset + "]");
      }
    };
  }

  /** Writes the load of {@code width} elements of {@code dtype}, side by side from an address. */
  List<Source> loadGroup(DataType dtype, Register address, int width) {
    return values.loadGroup(dtype, address, width).stream()
        .map(value -> (Source) new Loaded(value))
        .toList();
  }

  /** The result of the last element that was written, which is not complex. */
  Register result() {
    return values.at(invariant.length - 1);
  }

  /** Writes the store of results, side by side from an address on. */
  void storeGroup(List<Register> results, Register address) {
    values.storeGroup(program.result(), results, address);
  }

  /** Writes the address of the element at {@code index}, which may be negative. */
  Register address(Register base, Register index, DataType dtype) {
    return code.compute(LONG, "mad.wide.s32", index, dtype.byteSize(), base);
  }

  /** Writes the store of the element of {@code output} at {@code index}. */
  void store(Register output, Register index) {
    Register address = address(output, index, program.result());
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
