package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B16;
import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.B64;
import static io.headrace.fakecuda.ptx.PtxType.F32;
import static io.headrace.fakecuda.ptx.PtxType.F64;
import static io.headrace.fakecuda.ptx.PtxType.PRED;
import static io.headrace.fakecuda.ptx.PtxType.S16;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.U16;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;

import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** PTX ISA, Comparison and Selection Instructions. */
final class ComparisonOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of("setp", ComparisonOpcodes::setp, "selp", ComparisonOpcodes::selp);

  private static final PtxType[] TYPES = {B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64};

  private static final List<String> EQUALITIES = List.of("eq", "ne");
  private static final List<String> ORDERS = List.of("eq", "ne", "lt", "le", "gt", "ge");
  private static final List<String> UNSIGNED = List.of("eq", "ne", "lo", "ls", "hi", "hs");
  private static final List<String> FLOATS =
      List.of(
          "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
          "nan");

  private ComparisonOpcodes() {}

  /** A comparison of values of one type. */
  @FunctionalInterface
  private interface Comparison {
    boolean holds(long a, long b);
  }

  /** {@code setp.CMP{.BOOL}{.ftz}.TYPE p{|q}, a, b{, c}}: q is the comparison's negation. */
  private static KernelStep setp(Decoding d) {
    PtxType type =
        d.lastType().orElseThrow(() -> new IllegalArgumentException("a comparison has a type"));
    String operator = d.requireOneOf(operators(type));
    Optional<String> combination = d.takeOneOf(List.of("and", "or", "xor"));
    boolean flush = type == F32 && d.take("ftz");
    var _ = d.requireType(TYPES);
    d.endOfModifiers();
    d.requireOperands(combination.isPresent() ? 4 : 3);
    Comparison comparison = comparison(operator, type, flush);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    Value also = combination.isPresent() ? d.value(3, PRED) : _ -> 0;
    Target[] targets = targets(d);
    String combine = combination.orElse("or");
    int next = d.next();
    return thread -> {
      boolean holds = comparison.holds(a.get(thread), b.get(thread));
      boolean other = also.get(thread) != 0;
      targets[0].set(thread, combined(combine, holds, other));
      targets[1].set(thread, combined(combine, !holds, other));
      return next;
    };
  }

  private static List<String> operators(PtxType type) {
    return switch (type.kind()) {
      case BITS -> EQUALITIES;
      case SIGNED -> ORDERS;
      case UNSIGNED -> Stream.concat(ORDERS.stream(), UNSIGNED.stream()).toList();
      case FLOAT -> FLOATS;
      case PREDICATE -> List.of();
    };
  }

  private static Target[] targets(Decoding d) {
    if (d.operand(0) instanceof PtxOperand.Pair(String first, String second)) {
      return new Target[] {d.target(first, PRED, false), d.target(second, PRED, false)};
    }
    return new Target[] {d.target(0, PRED), (_, _) -> {}};
  }

  private static long combined(String operator, boolean a, boolean b) {
    boolean result =
        switch (operator) {
          case "and" -> a && b;
          case "or" -> a || b;
          default -> a != b;
        };
    return result ? 1 : 0;
  }

  private static Comparison comparison(String operator, PtxType type, boolean flush) {
    if (!type.isFloat()) {
      return (a, b) ->
          holds(operator, type.isSigned() ? Long.compare(a, b) : Long.compareUnsigned(a, b));
    }
    return (a, b) -> holds(operator, Floats.value(type, a, flush), Floats.value(type, b, flush));
  }

  private static boolean holds(String operator, int order) {
    return switch (operator) {
      case "eq" -> order == 0;
      case "ne" -> order != 0;
      case "lt", "lo" -> order < 0;
      case "le", "ls" -> order <= 0;
      case "gt", "hi" -> order > 0;
      case "ge", "hs" -> order >= 0;
      default -> throw new AssertionError(operator);
    };
  }

  /** Comparisons are false for NaN, except those whose names end with u, and nan. */
  private static boolean holds(String operator, double a, double b) {
    boolean isUnordered = Double.isNaN(a) || Double.isNaN(b);
    return switch (operator) {
      case "num" -> !isUnordered;
      case "nan" -> isUnordered;
      case "equ", "neu", "ltu", "leu", "gtu", "geu" ->
          isUnordered || holds(operator.substring(0, 2), order(a, b));
      default -> !isUnordered && holds(operator, order(a, b));
    };
  }

  /** The order of numbers, in which -0 equals 0. */
  private static int order(double a, double b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  private static KernelStep selp(Decoding d) {
    PtxType type = d.requireType(TYPES);
    d.endOfModifiers();
    d.requireOperands(4);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    Value predicate = d.value(3, PRED);
    // Both operands are read, so both must be defined.
    return d.assign(
        type,
        thread -> {
          long x = a.get(thread);
          long y = b.get(thread);
          return predicate.get(thread) != 0 ? x : y;
        });
  }
}
