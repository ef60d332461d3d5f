package io.headrace.fakecuda.ptx;

import io.headrace.fakecuda.ptx.PtxToken.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the body of one function. */
final class PtxBodyParser {
  private final PtxTokens tokens;
  private final PtxDeclarations declarations;

  /** The names declared in each open block, innermost first, and what they stand for. */
  private final Deque<Map<String, String>> scopes = new ArrayDeque<>();

  private final Map<String, PtxType> registers = new HashMap<>();
  private final List<PtxVariable> variables = new ArrayList<>();
  private final List<PtxInstruction> body = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private int blocks;

  PtxBodyParser(PtxTokens tokens, PtxDeclarations declarations) {
    this.tokens = tokens;
    this.declarations = declarations;
  }

  /** The function whose header is read, from its opening brace to its closing one. */
  PtxFunction function(
      String name,
      boolean isEntry,
      List<PtxVariable> results,
      List<PtxVariable> parameters,
      Map<String, List<Integer>> limits) {
    block();
    return new PtxFunction(
        name, isEntry, results, parameters, registers, variables, body, labels, limits);
  }

  private void block() {
    tokens.expect("{");
    scopes.push(new HashMap<>());
    String suffix = blocks++ == 0 ? "" : "#" + blocks;
    while (!tokens.takeIf("}")) {
      statement(suffix);
    }
    scopes.pop();
  }

  private void statement(String suffix) {
    int line = tokens.line();
    if (tokens.nextIs("{")) {
      block();
    } else if (tokens.nextIs(".loc") || tokens.nextIs(".file")) {
      tokens.skipLine();
    } else if (tokens.takeIf(".pragma")) {
      tokens.take();
      tokens.expect(";");
    } else if (tokens.takeIf(".reg")) {
      registers(suffix);
    } else if (tokens.nextIs(".shared") || tokens.nextIs(".local") || tokens.nextIs(".param")) {
      String space = tokens.word().substring(1);
      declarations.variables(space).forEach(variable -> declare(line, variable, suffix));
    } else if (tokens.peekSecond().is(":")) {
      String label = declareName(line, tokens.word(), suffix);
      tokens.expect(":");
      labels.put(label, body.size());
    } else {
      instruction();
    }
  }

  private void registers(String suffix) {
    PtxType type = tokens.type();
    do {
      int line = tokens.line();
      String name = tokens.word();
      if (tokens.takeIf("<")) {
        int count = tokens.count();
        tokens.expect(">");
        for (int i = 0; i < count; i++) {
          registers.put(declareName(line, name + i, suffix), type);
        }
      } else {
        registers.put(declareName(line, name, suffix), type);
      }
    } while (tokens.takeIf(","));
    tokens.expect(";");
  }

  private void declare(int line, PtxVariable variable, String suffix) {
    String name = declareName(line, variable.name(), suffix);
    variables.add(
        new PtxVariable(
            variable.space(),
            variable.align(),
            variable.type(),
            name,
            variable.count(),
            variable.initial()));
  }

  private String declareName(int line, String name, String suffix) {
    String unique = name + suffix;
    if (scopes.element().put(name, unique) != null) {
      throw new PtxException(line, name + " is declared twice");
    }
    return unique;
  }

  /** The unique name of a use. Labels may be used before they are declared. */
  private String resolve(String name) {
    return scopes.stream()
        .filter(scope -> scope.containsKey(name))
        .findFirst()
        .map(scope -> scope.getOrDefault(name, name))
        .orElse(name);
  }

  private void instruction() {
    int line = tokens.line();
    Optional<PtxInstruction.Guard> guard = Optional.empty();
    if (tokens.takeIf("@")) {
      boolean negated = tokens.takeIf("!");
      guard = Optional.of(new PtxInstruction.Guard(resolve(tokens.word()), negated));
    }
    String opcode = tokens.word();
    if (opcode.startsWith(".")) {
      throw new PtxException(line, "the directive " + opcode + " is not known");
    }
    List<String> parts = Arrays.asList(opcode.split("\\.", -1));
    List<PtxOperand> operands = new ArrayList<>();
    StringBuilder text = new StringBuilder(opcode);
    while (!tokens.nextIs(";")) {
      if (!operands.isEmpty()) {
        tokens.expect(",");
      }
      text.append(operands.isEmpty() ? " " : ", ");
      operands.add(operand(text));
    }
    tokens.expect(";");
    body.add(
        new PtxInstruction(
            line,
            text.toString(),
            guard,
            parts.getFirst(),
            parts.subList(1, parts.size()),
            operands));
  }

  /** Takes an operand, and appends what it takes to {@code text}. */
  private PtxOperand operand(StringBuilder text) {
    PtxToken token = tokens.take();
    text.append(token.text());
    return switch (token.kind()) {
      case NUMBER -> PtxLiterals.operand(token, false);
      case WORD -> name(token, text);
      case PUNCTUATION -> operandOf(token, text);
      case STRING, END -> throw unexpected(token);
    };
  }

  private PtxOperand name(PtxToken token, StringBuilder text) {
    String name = resolve(token.text());
    if (!tokens.takeIf("|")) {
      return new PtxOperand.Name(name);
    }
    String second = tokens.word();
    text.append('|').append(second);
    return new PtxOperand.Pair(name, resolve(second));
  }

  private PtxOperand operandOf(PtxToken token, StringBuilder text) {
    return switch (token.text()) {
      case "-" -> {
        PtxToken number = tokens.take();
        text.append(number.text());
        if (number.kind() != Kind.NUMBER) {
          throw unexpected(number);
        }
        yield PtxLiterals.operand(number, true);
      }
      case "!" -> {
        String predicate = tokens.word();
        text.append(predicate);
        yield new PtxOperand.Not(resolve(predicate));
      }
      case "[" -> address(text);
      case "{" -> new PtxOperand.Vector(list("}", text));
      case "(" ->
          new PtxOperand.Names(
              list(")", text).stream().map(operand -> nameOf(token, operand)).toList());
      default -> throw unexpected(token);
    };
  }

  private List<PtxOperand> list(String end, StringBuilder text) {
    List<PtxOperand> elements = new ArrayList<>();
    while (!tokens.takeIf(end)) {
      if (!elements.isEmpty()) {
        tokens.expect(",");
        text.append(", ");
      }
      elements.add(operand(text));
    }
    text.append(end);
    return elements;
  }

  private static String nameOf(PtxToken token, PtxOperand operand) {
    if (operand instanceof PtxOperand.Name(String name)) {
      return name;
    }
    throw new PtxException(token.line(), "names are expected in parentheses");
  }

  private PtxOperand address(StringBuilder text) {
    String base = "";
    long offset = 0;
    if (tokens.peek().kind() == Kind.WORD) {
      String name = tokens.word();
      text.append(name);
      base = resolve(name);
    }
    if (tokens.nextIs("+") || tokens.nextIs("-") || base.isEmpty()) {
      boolean negative = tokens.takeIf("-");
      if (!negative && tokens.takeIf("+")) {
        text.append('+');
        negative = tokens.takeIf("-");
      }
      PtxToken number = tokens.take();
      if (number.kind() != Kind.NUMBER) {
        throw unexpected(number);
      }
      text.append(negative ? "-" : "").append(number.text());
      offset = negative ? -PtxLiterals.integer(number) : PtxLiterals.integer(number);
    }
    tokens.expect("]");
    text.append(']');
    return new PtxOperand.Address(base, offset);
  }

  private static PtxException unexpected(PtxToken token) {
    return new PtxException(token.line(), "unexpected " + token.text());
  }
}
