package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionTemplate;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/** A function made of a lambda, which runs row by row. */
record RowLambda(UnaryOperator<List<Tensor>> body, boolean touchesResources)
    implements CallableFunction {
  /** The elements that tests make: one int64. */
  static final ElementSpec INT64 =
      ElementSpec.of("node rows (op Rows)", DataType.INT64, Shape.SCALAR);

  /** A function of the int64 scalars that tests read. */
  interface OfLong {
    long apply(long value);
  }

  static CapturedFunction of(OfLong body) {
    return new RowLambda(
            row -> List.of(Tensor.scalar(body.apply(row.getFirst().integer(0)))), false)
        .captured();
  }

  static CapturedFunction touching(OfLong body) {
    return new RowLambda(row -> List.of(Tensor.scalar(body.apply(row.getFirst().integer(0)))), true)
        .captured();
  }

  static CapturedFunction predicate(LongPredicate body) {
    return new RowLambda(row -> List.of(Tensor.scalar(body.test(row.getFirst().integer(0)))), false)
        .captured();
  }

  static CapturedFunction dataset(LongFunction<DatasetValue> body) {
    return new RowLambda(
            row -> List.of(Tensor.variant(body.apply(row.getFirst().integer(0)))), false)
        .captured();
  }

  CapturedFunction captured() {
    return new CapturedFunction(
        new FunctionTemplate(_ -> this, new FunctionRef("lambda")), List.of());
  }

  @Override
  public String name() {
    return "lambda";
  }

  @Override
  public List<DataType> inputTypes() {
    return List.of(DataType.INT64);
  }

  @Override
  public List<DataType> outputTypes() {
    return List.of(DataType.INT64);
  }

  @Override
  public List<Shape> outputShapes() {
    return List.of(Shape.SCALAR);
  }

  @Override
  public boolean isStateful() {
    return false;
  }

  @Override
  public boolean changesResources() {
    return touchesResources;
  }

  @Override
  public List<Tensor> call(List<Tensor> inputs, StepContext step) {
    return body.apply(inputs);
  }

  @Override
  public RowsResult callRows(
      int rows, List<Column> columns, List<Tensor> captured, StepContext step) {
    List<Chunk> results = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      try {
        results.add(Chunk.ofElement(call(Chunk.of(rows, columns).row(i), step)));
      } catch (StatusException e) {
        return new RowsResult(
            i, results.isEmpty() ? List.of() : Chunk.concat(results).columns(), e);
      }
    }
    return new RowsResult(rows, Chunk.concat(results).columns(), null);
  }
}
