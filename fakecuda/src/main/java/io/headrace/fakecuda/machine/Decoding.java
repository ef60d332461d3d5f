package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxInstruction;
import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One instruction while it is compiled. Modifiers are taken from front to back; the opcode's
 * compiler ends with {@link #endOfModifiers}, so that no modifier is overlooked. Errors are
 * IllegalArgumentExceptions, to which the caller adds the line.
 */
final class Decoding {
  private final PtxInstruction instruction;
  private final KernelCompiler compiler;
  private final Map<String, Symbol> symbols;
  private final Map<String, Integer> labels;
  private final Deque<String> modifiers;
  private int index;
  private int start;
  private int returnTo;

  Decoding(
      PtxInstruction instruction,
      KernelCompiler compiler,
      Map<String, Symbol> symbols,
      Map<String, Integer> labels) {
    this.instruction = instruction;
    this.compiler = compiler;
    this.symbols = symbols;
    this.labels = labels;
    this.modifiers = new ArrayDeque<>(instruction.modifiers());
  }

  /** Says where the instruction is, where its function starts, and where that returns to. */
  void place(int index, int start, int returnTo) {
    this.index = index;
    this.start = start;
    this.returnTo = returnTo;
  }

  String opcode() {
    return instruction.opcode();
  }

  /** The index of the next instruction. */
  int next() {
    return index + 1;
  }

  int index() {
    return index;
  }

  int returnTo() {
    return returnTo;
  }

  DeviceMemory memory() {
    return compiler.memory();
  }

  // Modifiers

  /** Whether {@code name} is among the modifiers that are left. */
  boolean hasModifier(String name) {
    return modifiers.contains(name);
  }

  /** Takes the next modifier if it is {@code name}. */
  boolean take(String name) {
    if (!name.equals(modifiers.peek())) {
      return false;
    }
    modifiers.remove();
    return true;
  }

  /** Takes the next modifier if it is one of {@code names}. */
  Optional<String> takeOneOf(List<String> names) {
    return Optional.ofNullable(modifiers.peek())
        .filter(names::contains)
        .map(_ -> modifiers.remove());
  }

  /** Takes the next modifier, which must be one of {@code names}. */
  String requireOneOf(List<String> names) {
    return takeOneOf(names)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "expected one of .%s, not %s".formatted(String.join(" .", names), nextModifier())));
  }

  /** Takes the next modifier, which must be one of these types. */
  PtxType requireType(PtxType... types) {
    return takeType(types)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s is no type of %s that is known".formatted(nextModifier(), opcode())));
  }

  /** Takes the next modifier if it is one of these types. */
  Optional<PtxType> takeType(PtxType... types) {
    return Optional.ofNullable(modifiers.peek())
        .flatMap(PtxType::of)
        .filter(List.of(types)::contains)
        .map(type -> {
          modifiers.remove();
          return type;
        });
  }

  /** The type that the last modifier names. */
  Optional<PtxType> lastType() {
    return Optional.ofNullable(modifiers.peekLast()).flatMap(PtxType::of);
  }

  /** Fails if a modifier is left. */
  void endOfModifiers() {
    if (!modifiers.isEmpty()) {
      throw new IllegalArgumentException("the modifier " + nextModifier() + " is not known");
    }
  }

  private String nextModifier() {
    String next = modifiers.peek();
    return next == null ? "the end" : "." + next;
  }

  // Operands

  int operands() {
    return instruction.operands().size();
  }

  /** Fails unless there are {@code count} operands. */
  void requireOperands(int count) {
    if (operands() != count) {
      throw new IllegalArgumentException("it has %d operands, not %d".formatted(operands(), count));
    }
  }

  PtxOperand operand(int number) {
    if (number >= operands()) {
      throw new IllegalArgumentException("it has too few operands");
    }
    return instruction.operands().get(number);
  }

  /** The value of an operand of {@code type}. */
  Value value(int number, PtxType type) {
    return value(operand(number), type, false);
  }

  /** The value of an operand; {@code wide} allows registers wider than the type. */
  Value value(PtxOperand operand, PtxType type, boolean wide) {
    return switch (operand) {
      case PtxOperand.IntegerLiteral(long value) -> literal(value, type);
      case PtxOperand.FloatLiteral(long bits, PtxType literal) -> floatLiteral(bits, literal, type);
      case PtxOperand.Name(String name) -> named(name, type, wide);
      case PtxOperand.Not(String name) -> {
        if (type != PtxType.PRED) {
          throw new IllegalArgumentException("! is for predicates");
        }
        Value predicate = predicate(name);
        yield thread -> predicate.get(thread) ^ 1;
      }
      case PtxOperand.Address _, PtxOperand.Vector _, PtxOperand.Pair _, PtxOperand.Names _ ->
          throw new IllegalArgumentException("an operand is neither a register nor a literal");
    };
  }

  private static Value literal(long value, PtxType type) {
    if (type.isFloat() || type == PtxType.PRED) {
      throw new IllegalArgumentException("an integer is no value of type " + type.text());
    }
    long unused = type.bytes() == 8 ? 0 : value >> type.bits();
    boolean fits = unused == 0 || (unused == -1 && value >> (type.bits() - 1) == -1);
    if (!fits) {
      throw new IllegalArgumentException(value + " does not fit into " + type.text());
    }
    long bits = type.extend(value);
    return _ -> bits;
  }

  private static Value floatLiteral(long bits, PtxType literal, PtxType type) {
    if (literal.bits() != type.bits() || !(type.isFloat() || type.isBits())) {
      throw new IllegalArgumentException(
          "a literal of type %s is no value of type %s".formatted(literal.text(), type.text()));
    }
    return _ -> bits;
  }

  private Value named(String name, PtxType type, boolean wide) {
    if (symbols.get(name) instanceof Symbol.Register(int number, PtxType declared)) {
      checkType(name, declared, type, wide);
      return registerValue(number, type, type.bits() == declared.bits());
    }
    return SpecialRegisters.find(name, type)
        .orElseThrow(() -> new IllegalArgumentException("there is no register " + name));
  }

  private static Value registerValue(int number, PtxType type, boolean isWhole) {
    return switch (type) {
      case S8 -> thread -> (byte) thread.register(number);
      case S16 -> thread -> (short) thread.register(number);
      case S32 -> thread -> (int) thread.register(number);
      case PRED, B8, B16, B32, B64, U8, U16, U32, U64, S64, F16, F32, F64 ->
          isWhole
              ? thread -> thread.register(number)
              : thread -> type.extend(thread.register(number));
    };
  }

  private static void checkType(String name, PtxType declared, PtxType type, boolean wide) {
    boolean isWider =
        wide && !type.isFloat() && !declared.isFloat() && declared.bits() > type.bits();
    if (!type.agreesWith(declared) && !(isWider && type != PtxType.PRED)) {
      throw new IllegalArgumentException(
          "register %s is of type %s, not %s".formatted(name, declared.text(), type.text()));
    }
  }

  /** The value of the predicate register {@code name}. */
  Value predicate(String name) {
    return named(name, PtxType.PRED, false);
  }

  /** The destination {@code number} of {@code type}. */
  Target target(int number, PtxType type) {
    return target(operand(number), type, false);
  }

  /** A destination; {@code wide} allows registers wider than the type, which it extends into. */
  Target target(PtxOperand operand, PtxType type, boolean wide) {
    if (!(operand instanceof PtxOperand.Name(String name))) {
      throw new IllegalArgumentException("the destination is not a register");
    }
    return target(name, type, wide);
  }

  Target target(String name, PtxType type, boolean wide) {
    if (name.equals("_")) {
      return (_, _) -> {};
    }
    if (!(symbols.get(name) instanceof Symbol.Register(int number, PtxType declared))) {
      throw new IllegalArgumentException("there is no register " + name);
    }
    checkType(name, declared, type, wide);
    if (declared.bits() == 64) {
      return type.bits() == 64
          ? (thread, value) -> thread.setRegister(number, value)
          : (thread, value) -> thread.setRegister(number, type.extend(value));
    }
    long mask = (1L << declared.bits()) - 1;
    return (thread, value) -> thread.setRegister(number, type.extend(value) & mask);
  }

  /** The step that assigns {@code value} to the first operand. */
  KernelStep assign(PtxType type, Value value) {
    Target target = target(0, type);
    int next = next();
    return thread -> {
      target.set(thread, value.get(thread));
      return next;
    };
  }

  /** The meaning of {@code name}. */
  Optional<Symbol> symbol(String name) {
    Symbol own = symbols.get(name);
    return own == null ? compiler.ofModule(name) : Optional.of(own);
  }

  /** The index of the instruction behind the label that operand 0 names. */
  int label() {
    Integer target = operand(0) instanceof PtxOperand.Name(String name) ? labels.get(name) : null;
    if (target == null) {
      throw new IllegalArgumentException("there is no such label");
    }
    return start + target;
  }

  /** The operands of a call. */
  record Call(List<String> results, String function, List<String> arguments) {}

  /** The operands as those of a call. */
  Call call() {
    List<PtxOperand> operands = instruction.operands();
    boolean hasResults = !operands.isEmpty() && operands.getFirst() instanceof PtxOperand.Names;
    List<PtxOperand> rest = hasResults ? operands.subList(1, operands.size()) : operands;
    if (rest.isEmpty()
        || rest.size() > 2
        || !(rest.getFirst() instanceof PtxOperand.Name(String function))) {
      throw new IllegalArgumentException("a call is (result), function, (arguments)");
    }
    return new Call(
        hasResults ? names(operands.getFirst()) : List.of(),
        function,
        rest.size() == 2 ? names(rest.getLast()) : List.of());
  }

  private static List<String> names(PtxOperand operand) {
    if (operand instanceof PtxOperand.Names(List<String> names)) {
      return names;
    }
    throw new IllegalArgumentException("the arguments of a call are names in parentheses");
  }
}
