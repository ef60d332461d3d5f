package io.headrace.fakecuda.ptx;

import java.util.List;
import java.util.Optional;

/**
 * An instruction.
 *
 * @param line where it begins, counted from 1
 * @param text as it is written, with single spaces
 * @param guard the predicate without which it is not executed
 * @param opcode the name before the first dot
 * @param modifiers the names behind dots, in order
 */
public record PtxInstruction(
    int line,
    String text,
    Optional<Guard> guard,
    String opcode,
    List<String> modifiers,
    List<PtxOperand> operands) {
  /** Copies the lists. */
  public PtxInstruction {
    modifiers = List.copyOf(modifiers);
    operands = List.copyOf(operands);
  }

  /** A predicate in front of an instruction: {@code @%p} or {@code @!%p}. */
  public record Guard(String predicate, boolean negated) {}
}
