package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Masks as numbers: the conversion of an and, or, xor or not of bools to float32 or float64 is
 * arithmetic on the conversions of its operands, which are 0 or 1. HotSpot vectorizes no loop that
 * computes a bool from bytes in memory and then widens it, but one that widens the bytes first. The
 * numbers are the same: 0 and 1 are exact, and no result is a negative 0.
 *
 * <p>Each expression is rewritten once, so what is shared stays shared. Not thread-safe.
 */
final class LogicInFloats {
  private final IdentityHashMap<Expression, Expression> floats = new IdentityHashMap<>();
  private final IdentityHashMap<Expression, Expression> doubles = new IdentityHashMap<>();
  private final IdentityHashMap<Expression.Convert, Expression> rewritten = new IdentityHashMap<>();

  /** The arithmetic for {@code convert}; null if it is not a conversion of a logical operation. */
  @Nullable Expression arithmetic(Expression.Convert convert) {
    DataType dtype = convert.dtype();
    if ((dtype != DataType.FLOAT32 && dtype != DataType.FLOAT64)
        || !(convert.value() instanceof Expression.Apply logic)
        || !isRewritten(logic.operation())
        || logic.dtype() != DataType.BOOL) {
      return null;
    }
    return rewritten.computeIfAbsent(convert, _ -> rewrite(logic, dtype));
  }

  private static boolean isRewritten(ScalarOperation operation) {
    return switch (operation) {
      case AND, OR, XOR, NOT -> true;
      default -> false;
    };
  }

  private Expression rewrite(Expression.Apply logic, DataType dtype) {
    List<Expression> numbers = logic.operands().stream().map(o -> convert(o, dtype)).toList();
    Expression first = numbers.getFirst();
    Expression last = numbers.getLast();
    return switch (logic.operation()) {
      case AND -> first.apply(ScalarOperation.MUL, last);
      case OR -> first.apply(ScalarOperation.MAX, last);
      case XOR -> first.apply(ScalarOperation.SUB, last).apply(ScalarOperation.ABS);
      default -> Expression.constant(dtype, 1.0).apply(ScalarOperation.SUB, first);
    };
  }

  private Expression convert(Expression bool, DataType dtype) {
    IdentityHashMap<Expression, Expression> numbers = dtype == DataType.FLOAT32 ? floats : doubles;
    return numbers.computeIfAbsent(bool, o -> new Expression.Convert(o, dtype));
  }
}
