package io.headrace.gpu.ptx;

import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * A program with operands.
 *
 * @param name what it computes
 * @param function the math function whose tolerance results have; empty if they must be exact
 * @param plan how the operands broadcast
 * @param operands the operands' arrays, each with the elements of its shape
 */
record ElementwiseCase(
    String name,
    Optional<ScalarOperation> function,
    LoopProgram program,
    BroadcastPlan plan,
    List<Object> operands) {

  /** A case whose operands have the results' shape, and special and random elements. */
  static ElementwiseCase full(
      String name,
      Optional<ScalarOperation> function,
      Expression expression,
      List<DataType> inputs,
      int count,
      RandomGenerator random) {
    List<Shape> shapes = inputs.stream().map(_ -> Shape.of(count)).toList();
    return broadcast(name, function, expression, inputs, shapes, random);
  }

  /** A case whose operands have these shapes. */
  static ElementwiseCase broadcast(
      String name,
      Optional<ScalarOperation> function,
      Expression expression,
      List<DataType> inputs,
      List<Shape> shapes,
      RandomGenerator random) {
    List<Object> operands = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      operands.add(CaseValues.mixed(inputs.get(i), shapes.get(i).elements(), i == 0, random));
    }
    return new ElementwiseCase(
        name,
        function,
        LoopProgram.of(expression, inputs),
        BroadcastPlan.of(shapes.isEmpty() ? List.of(Shape.of(5)) : shapes),
        operands);
  }

  /** The number of results. */
  int count() {
    return plan.elements();
  }

  List<Access> access() {
    return IntStream.range(0, operands.size()).mapToObj(plan::access).toList();
  }

  /** The kernel for operands at the start of buffers. */
  PtxKernel kernel() {
    int width = ElementwisePtx.width(program, access(), Collections.nCopies(operands.size(), 0L));
    return ElementwisePtx.of(program, access(), plan.dimensions(), width);
  }

  /** The operands with an element for each result. */
  List<Object> repeated() {
    return IntStream.range(0, operands.size())
        .mapToObj(
            i -> CaseValues.gathered(program.inputs().get(i), operands.get(i), plan.indices(i)))
        .toList();
  }
}
