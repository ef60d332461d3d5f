package io.headrace.gpu.ptx;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Expression.Apply;
import io.headrace.runtime.expression.Expression.Input;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Builds the cases: all operations and conversions of all dtypes, and samples of the rest. */
final class CaseBuilder {
  private static final List<DataType> DTYPES =
      Arrays.stream(DataType.values())
          .filter(dtype -> Expression.isScalar(dtype) && !dtype.isComplex())
          .toList();

  private static final List<DataType> COMPLEX = List.of(DataType.COMPLEX64, DataType.COMPLEX128);

  private final int count;
  private final RandomGenerator random;

  /**
   * A builder.
   *
   * @param count the number of results of each case that does not broadcast
   */
  CaseBuilder(int count, long seed) {
    this.count = count;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Hands all cases over, one by one. */
  void forEach(Consumer<ElementwiseCase> consumer) {
    operations(consumer);
    casts(consumer);
    constants(consumer);
    chains(consumer);
    broadcasts(consumer);
    complex(consumer);
  }

  void operations(Consumer<ElementwiseCase> consumer) {
    for (ScalarOperation operation : ScalarOperation.values()) {
      for (DataType dtype : DTYPES) {
        operation(operation, dtype).ifPresent(consumer);
      }
    }
  }

  /** The operation on operands of a dtype, if there is one. */
  Optional<ElementwiseCase> operation(ScalarOperation operation, DataType dtype) {
    return inputs(operation, dtype)
        .map(inputs ->
            ElementwiseCase.full(
                operation + " " + dtype.tfName(),
                Optional.of(operation).filter(o -> Tolerance.isFunction(o, dtype)),
                new Apply(operation, variables(inputs)),
                inputs,
                count,
                random));
  }

  /** The dtypes of an operation's operands, the last of which is {@code dtype}. */
  static Optional<List<DataType>> inputs(ScalarOperation operation, DataType dtype) {
    return Stream.of(List.of(dtype), List.of(dtype, dtype), List.of(DataType.BOOL, dtype, dtype))
        .filter(inputs -> isValid(operation, inputs))
        .findFirst();
  }

  private static boolean isValid(ScalarOperation operation, List<DataType> inputs) {
    try {
      return new Apply(operation, variables(inputs)).operands().size() == inputs.size();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static List<Expression> variables(List<DataType> inputs) {
    return IntStream.range(0, inputs.size())
        .<Expression>mapToObj(i -> new Input(i, inputs.get(i)))
        .toList();
  }

  void casts(Consumer<ElementwiseCase> consumer) {
    for (DataType from : DTYPES) {
      for (DataType to : DTYPES) {
        if (from != to) {
          exact(
              "CAST " + from.tfName() + " " + to.tfName(),
              convert(from, to),
              List.of(from),
              consumer);
        }
      }
    }
  }

  private static Expression convert(DataType from, DataType to) {
    return new Input(0, from).convert(to);
  }

  private void exact(
      String name,
      Expression expression,
      List<DataType> inputs,
      Consumer<ElementwiseCase> consumer) {
    consumer.accept(
        ElementwiseCase.full(name, Optional.empty(), expression, inputs, count, random));
  }

  void constants(Consumer<ElementwiseCase> consumer) {
    for (DataType dtype : DTYPES) {
      Expression x = new Input(0, dtype);
      for (double value : new double[] {0, 1, 3, 8, -1, -5.5, 1e30}) {
        Expression constant = Expression.constant(dtype, value);
        String name = " constant " + value + " " + dtype.tfName();
        exact("EQUAL" + name, x.equalTo(constant), List.of(dtype), consumer);
        exact("FILL" + name, constant, List.of(), consumer);
        if (dtype != DataType.BOOL) {
          exact("ADD" + name, constant.add(x), List.of(dtype), consumer);
          exact("MOD" + name, x.apply(ScalarOperation.MOD, constant), List.of(dtype), consumer);
          exact(
              "FLOOR_MOD" + name,
              x.apply(ScalarOperation.FLOOR_MOD, constant),
              List.of(dtype),
              consumer);
        }
        if (dtype.isInteger()) {
          exact(
              "FLOOR_DIV" + name,
              x.apply(ScalarOperation.FLOOR_DIV, constant),
              List.of(dtype),
              consumer);
          exact(
              "SHIFT" + name,
              x.apply(ScalarOperation.SHIFT_LEFT, constant),
              List.of(dtype),
              consumer);
        }
      }
    }
  }

  /** Ten operations on values that come before. */
  void chains(Consumer<ElementwiseCase> consumer) {
    for (DataType dtype : DTYPES) {
      for (int repetition = 0; repetition < 3; repetition++) {
        List<DataType> inputs = List.of(dtype, dtype, DTYPES.get(random.nextInt(DTYPES.size())));
        List<Expression> values = new ArrayList<>(variables(inputs).subList(0, 2));
        if (dtype != DataType.BOOL) {
          values.add(Expression.constant(dtype, random.nextInt(20) - 10.5));
        }
        values.add(new Input(2, inputs.getLast()).convert(dtype));
        for (int i = 0; i < 10; i++) {
          values.add(link(dtype, values));
        }
        exact("CHAIN " + dtype.tfName() + " " + repetition, values.getLast(), inputs, consumer);
      }
    }
  }

  /** The last value with another one; what depends on the sign of NaN, COPY_SIGN, is left out. */
  private Expression link(DataType dtype, List<Expression> values) {
    ScalarOperation[] all = ScalarOperation.values();
    while (true) {
      ScalarOperation operation = all[random.nextInt(all.length)];
      boolean fits =
          !Tolerance.isFunction(operation, dtype)
              && operation != ScalarOperation.COPY_SIGN
              && operation != ScalarOperation.POW;
      Optional<List<DataType>> inputs = fits ? inputs(operation, dtype) : Optional.empty();
      if (inputs.isEmpty()) {
        continue;
      }
      Expression last = values.getLast();
      Expression other = values.get(random.nextInt(values.size()));
      Expression result =
          switch (inputs.get().size()) {
            case 1 -> last.apply(operation);
            case 2 ->
                random.nextBoolean() ? last.apply(operation, other) : other.apply(operation, last);
            default -> Expression.select(other.equalTo(values.getFirst()), last, other);
          };
      return result.convert(dtype);
    }
  }

  void broadcasts(Consumer<ElementwiseCase> consumer) {
    List<List<Shape>> patterns =
        List.of(
            List.of(Shape.of(), Shape.of(count)),
            List.of(Shape.of(count), Shape.of(1)),
            List.of(Shape.of(), Shape.of()),
            List.of(Shape.of(13), Shape.of(11, 13)),
            List.of(Shape.of(11, 13), Shape.of(11, 1)),
            List.of(Shape.of(7, 1), Shape.of(1, 29)),
            List.of(Shape.of(5, 1, 6), Shape.of(5, 7, 6)),
            List.of(Shape.of(5, 7, 6), Shape.of(1, 7, 1)),
            List.of(Shape.of(3, 1, 5, 1), Shape.of(1, 4, 1, 6)),
            List.of(Shape.of(3, 4, 5, 6), Shape.of(3, 1, 5, 1)),
            List.of(Shape.of(2, 3, 5, 7), Shape.of(2, 3, 1, 1)));
    for (DataType dtype :
        List.of(
            DataType.INT8, DataType.INT16, DataType.FLOAT32, DataType.INT64, DataType.COMPLEX128)) {
      List<DataType> inputs = List.of(dtype, dtype);
      Expression difference = new Input(0, dtype).sub(new Input(1, dtype));
      for (List<Shape> shapes : patterns) {
        consumer.accept(
            ElementwiseCase.broadcast(
                "SUB " + dtype.tfName() + " " + shapes,
                Optional.empty(),
                difference,
                inputs,
                shapes,
                random));
      }
    }
    Expression quotient = new Input(0, DataType.INT32).div(new Input(1, DataType.INT32));
    for (List<Shape> shapes : patterns) {
      consumer.accept(
          ElementwiseCase.broadcast(
              "DIV int32 " + shapes,
              Optional.empty(),
              quotient,
              List.of(DataType.INT32, DataType.INT32),
              shapes,
              random));
    }
  }

  void complex(Consumer<ElementwiseCase> consumer) {
    for (DataType dtype : COMPLEX) {
      String name = " " + dtype.tfName();
      Expression x = new Input(0, dtype);
      Expression y = new Input(1, dtype);
      List<DataType> one = List.of(dtype);
      List<DataType> two = List.of(dtype, dtype);
      exact("ADD" + name, x.add(y), two, consumer);
      exact("SUB" + name, x.sub(y), two, consumer);
      exact("MUL" + name, x.mul(y), two, consumer);
      exact("DIV" + name, x.div(y), two, consumer);
      exact("EQUAL" + name, x.equalTo(y), two, consumer);
      exact("NEG" + name, x.neg(), one, consumer);
      exact("CONJUGATE" + name, x.conjugate(), one, consumer);
      exact("REAL" + name, x.real(), one, consumer);
      exact("IMAGINARY" + name, x.imaginary(), one, consumer);
      exact("SELECT" + name, Expression.select(x.equalTo(y), x, y), two, consumer);
      for (DataType other : List.of(DataType.INT32, DataType.FLOAT16, DataType.FLOAT64)) {
        exact("CAST" + name + " " + other.tfName(), convert(dtype, other), one, consumer);
        exact("CAST " + other.tfName() + name, convert(other, dtype), List.of(other), consumer);
      }
    }
    exact(
        "CAST complex64 complex128",
        convert(DataType.COMPLEX64, DataType.COMPLEX128),
        List.of(DataType.COMPLEX64),
        consumer);
  }
}
