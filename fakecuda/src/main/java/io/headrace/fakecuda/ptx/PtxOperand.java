package io.headrace.fakecuda.ptx;

import java.util.List;

/** An operand as it is written. */
public sealed interface PtxOperand {
  /** A register, a special register, a variable, a label, or {@code _}. */
  record Name(String name) implements PtxOperand {}

  /** The negation of a predicate: {@code !%p1}. */
  record Not(String predicate) implements PtxOperand {}

  /** An integer literal. */
  record IntegerLiteral(long value) implements PtxOperand {}

  /** A float literal in its bits: {@code 0f3F800000}, or {@code 0d...} for a double. */
  record FloatLiteral(long bits, PtxType type) implements PtxOperand {}

  /** An address in brackets: a name, or none for an absolute address, and an offset in bytes. */
  record Address(String base, long offset) implements PtxOperand {}

  /** A vector in braces. */
  record Vector(List<PtxOperand> elements) implements PtxOperand {
    /** Copies the list. */
    public Vector {
      elements = List.copyOf(elements);
    }
  }

  /** Two destinations: {@code %p1|%p2}. */
  record Pair(String first, String second) implements PtxOperand {}

  /** Names in parentheses: the results or the arguments of a call. */
  record Names(List<String> names) implements PtxOperand {
    /** Copies the list. */
    public Names {
      names = List.copyOf(names);
    }
  }
}
