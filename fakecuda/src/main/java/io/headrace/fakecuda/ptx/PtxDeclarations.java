package io.headrace.fakecuda.ptx;

import io.headrace.fakecuda.ptx.PtxToken.Kind;
import java.util.ArrayList;
import java.util.List;

/** Reads declarations of variables and parameters (PTX ISA, State Spaces, Variables). */
final class PtxDeclarations {
  private final PtxTokens tokens;

  PtxDeclarations(PtxTokens tokens) {
    this.tokens = tokens;
  }

  /** Variables of {@code space}, whose directive is taken, up to the semicolon. */
  List<PtxVariable> variables(String space) {
    List<PtxVariable> declared = new ArrayList<>();
    int align = align();
    PtxType type = tokens.type();
    do {
      declared.add(variable(space, align, type));
    } while (tokens.takeIf(","));
    tokens.expect(";");
    return declared;
  }

  /** Parameters in parentheses. */
  List<PtxVariable> parameters() {
    List<PtxVariable> declared = new ArrayList<>();
    tokens.expect("(");
    while (!tokens.takeIf(")")) {
      if (!declared.isEmpty()) {
        tokens.expect(",");
      }
      tokens.expect(".param");
      int align = align();
      PtxType type = tokens.type();
      // A pointer's attributes say nothing about the value.
      while (tokens.nextIs(".ptr") || tokens.nextIs(".global") || tokens.nextIs(".align")) {
        if (tokens.take().is(".align")) {
          var _ = tokens.count();
        }
      }
      declared.add(variable("param", align, type));
    }
    return declared;
  }

  private int align() {
    if (!tokens.takeIf(".align")) {
      return 0;
    }
    int line = tokens.line();
    int align = tokens.count();
    if (Integer.bitCount(align) != 1) {
      throw new PtxException(line, "an alignment is a power of 2, not " + align);
    }
    return align;
  }

  private PtxVariable variable(String space, int align, PtxType type) {
    int line = tokens.line();
    if (type == PtxType.PRED) {
      throw new PtxException(line, "a predicate is in a register, not in memory");
    }
    String name = tokens.word();
    long count = 1;
    while (tokens.takeIf("[")) {
      count *= tokens.nextIs("]") ? 0 : tokens.count();
      tokens.expect("]");
    }
    List<Long> initial = tokens.takeIf("=") ? initial(type) : List.of();
    if (count == 0 && !initial.isEmpty()) {
      count = initial.size();
    }
    if (count * type.bytes() > Integer.MAX_VALUE || initial.size() > count) {
      throw new PtxException(line, "the size of " + name + " is out of range");
    }
    return new PtxVariable(
        space, align == 0 ? type.bytes() : align, type, name, (int) count, initial);
  }

  private List<Long> initial(PtxType type) {
    List<Long> values = new ArrayList<>();
    if (!tokens.takeIf("{")) {
      values.add(element(type));
      return values;
    }
    do {
      values.add(element(type));
    } while (tokens.takeIf(","));
    tokens.expect("}");
    return values;
  }

  private long element(PtxType type) {
    boolean negative = tokens.takeIf("-");
    PtxToken token = tokens.take();
    if (token.kind() != Kind.NUMBER) {
      throw new PtxException(token.line(), "an initial value is a literal, not " + token.text());
    }
    return switch (PtxLiterals.operand(token, negative)) {
      case PtxOperand.IntegerLiteral(long value) when !type.isFloat() -> value;
      case PtxOperand.FloatLiteral(long bits, PtxType literal) when literal == type -> bits;
      case PtxOperand _ ->
          throw new PtxException(token.line(), token.text() + " is not a value of " + type.text());
    };
  }
}
