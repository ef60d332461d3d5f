package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An {@link Expression} as a list of instructions in which each value is computed once: the input
 * of code generation, and the cache key of generated loops. Operands precede their uses; the last
 * instruction is the result.
 *
 * @param inputs the dtypes of the loop's operands
 * @param instructions the instructions, in order
 */
public record LoopProgram(List<DataType> inputs, List<Instruction> instructions) {
  /** One instruction; later ones refer to its value by position. */
  public sealed interface Instruction {
    /** The dtype of the value. */
    DataType dtype();

    /**
     * The element of operand {@code index}, or a part of it.
     *
     * @param part 1 for the imaginary part of a complex element, otherwise 0
     * @param dtype the dtype of the element; of the part of a complex one
     */
    record Load(int index, int part, DataType dtype) implements Instruction {}

    /** A constant, as in {@link Expression.Constant}. */
    record Literal(long bits, DataType dtype) implements Instruction {}

    /** An operation on the values at {@code operands}. */
    record Compute(ScalarOperation operation, List<Integer> operands, DataType dtype)
        implements Instruction {}

    /** The value at {@code value} as another dtype. */
    record Cast(int value, DataType dtype) implements Instruction {}

    /** The complex number with the values at {@code real} and {@code imaginary}; a result. */
    record Join(int real, int imaginary, DataType dtype) implements Instruction {}
  }

  /** Copies the lists. */
  public LoopProgram {
    inputs = List.copyOf(inputs);
    instructions = List.copyOf(instructions);
  }

  /** The program of {@code expression} over operands of the dtypes {@code inputs}. */
  public static LoopProgram of(Expression expression, List<DataType> inputs) {
    return new Builder(inputs).build(expression);
  }

  /** The dtype of the result. */
  public DataType result() {
    return instructions.getLast().dtype();
  }

  /** The approximate number of machine operations per element. */
  int weight() {
    return instructions.stream().mapToInt(LoopProgram::weight).sum();
  }

  /**
   * Whether HotSpot may vectorize a loop of this program: no instruction is known to prevent it.
   */
  boolean mayVectorize() {
    return instructions.stream().allMatch(this::mayVectorize);
  }

  private boolean mayVectorize(Instruction instruction) {
    if (instruction.dtype() == DataType.BFLOAT16
        || instruction.dtype().isComplex()
        || Carrier.isConvertedOnly(instruction.dtype())) {
      return false;
    }
    return switch (instruction) {
      case Instruction.Compute compute ->
          compute.operation().mayVectorize(instructions.get(compute.operands().getLast()).dtype());
      case Instruction.Cast cast -> instructions.get(cast.value()).dtype() != DataType.UINT64;
      case Instruction.Load load -> !inputs.get(load.index()).isComplex();
      case Instruction.Literal _ -> true;
      case Instruction.Join _ -> false;
    };
  }

  static int weight(Instruction instruction) {
    return switch (instruction) {
      case Instruction.Compute compute -> compute.operation().weight();
      case Instruction.Cast _, Instruction.Join _ -> 2;
      case Instruction.Load _ -> 1;
      case Instruction.Literal _ -> 0;
    };
  }

  /** The positions that {@code instruction} refers to. */
  public static List<Integer> operands(Instruction instruction) {
    return switch (instruction) {
      case Instruction.Compute compute -> compute.operands();
      case Instruction.Cast cast -> List.of(cast.value());
      case Instruction.Join join -> List.of(join.real(), join.imaginary());
      case Instruction.Load _, Instruction.Literal _ -> List.of();
    };
  }

  /**
   * Flattens an expression: without recursion, since it may be deep, and visiting shared
   * subexpressions once.
   */
  private static final class Builder {
    private final List<DataType> inputs;
    private final List<Instruction> instructions = new ArrayList<>();
    private final Map<Instruction, Integer> positions = new HashMap<>();
    private final IdentityHashMap<Expression, Integer> visited = new IdentityHashMap<>();
    private final LogicInFloats logic = new LogicInFloats();

    Builder(List<DataType> inputs) {
      this.inputs = inputs;
    }

    LoopProgram build(Expression whole) {
      boolean isComplex = whole.dtype().isComplex();
      Expression root = isComplex ? new Expression.Pair(whole.real(), whole.imaginary()) : whole;
      Deque<Expression> pending = new ArrayDeque<>();
      pending.push(root);
      while (!pending.isEmpty()) {
        Expression next = pending.peek();
        if (visited.containsKey(next)) {
          pending.pop();
        } else if (!pushOperands(next, pending)) {
          visited.put(pending.pop(), positionOf(next));
        }
      }
      // The root is larger than its subexpressions, so its instruction is the last.
      return new LoopProgram(inputs, instructions);
    }

    private boolean pushOperands(Expression expression, Deque<Expression> pending) {
      boolean pushed = false;
      List<Expression> operands = operandsOf(expression);
      for (int i = operands.size() - 1; i >= 0; i--) {
        if (!visited.containsKey(operands.get(i))) {
          pending.push(operands.get(i));
          pushed = true;
        }
      }
      return pushed;
    }

    private List<Expression> operandsOf(Expression expression) {
      return switch (expression) {
        case Expression.Apply apply -> apply.operands();
        case Expression.Convert convert ->
            List.of(Objects.requireNonNullElse(logic.arithmetic(convert), convert.value()));
        case Expression.Pair pair -> List.of(pair.real(), pair.imaginary());
        case Expression.Input _, Expression.Part _, Expression.Constant _ -> List.of();
      };
    }

    private Instruction instruction(Expression expression) {
      return switch (expression) {
        case Expression.Input input -> load(input, 0);
        case Expression.Part part -> load(part.operand(), part.part());
        case Expression.Pair pair ->
            new Instruction.Join(visitedAt(pair.real()), visitedAt(pair.imaginary()), pair.dtype());
        case Expression.Constant constant ->
            new Instruction.Literal(constant.bits(), constant.dtype());
        case Expression.Convert convert ->
            new Instruction.Cast(visitedAt(convert.value()), convert.dtype());
        case Expression.Apply apply ->
            new Instruction.Compute(
                apply.operation(),
                apply.operands().stream().map(this::visitedAt).toList(),
                apply.dtype());
      };
    }

    private int positionOf(Expression expression) {
      Expression arithmetic =
          expression instanceof Expression.Convert convert ? logic.arithmetic(convert) : null;
      return arithmetic == null ? positionOf(instruction(expression)) : visitedAt(arithmetic);
    }

    private int visitedAt(Expression expression) {
      return Objects.requireNonNull(visited.get(expression));
    }

    private Instruction load(Expression.Input input, int part) {
      if (inputs.get(input.index()) != input.dtype()) {
        throw new IllegalArgumentException(
            input + " where operands are " + inputs.stream().map(DataType::tfName).toList());
      }
      return new Instruction.Load(input.index(), part, input.dtype().partType());
    }

    private int positionOf(Instruction instruction) {
      Integer known = positions.get(instruction);
      if (known != null) {
        return known;
      }
      instructions.add(instruction);
      positions.put(instruction, instructions.size() - 1);
      return instructions.size() - 1;
    }
  }
}
