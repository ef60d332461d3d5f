package io.headrace.runtime.elementwise;

import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopPiece;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * An expression specialized for input shapes and evaluated in stages. A subexpression whose inputs
 * are repeated by broadcasting is evaluated once, in its own smaller shape. Thread-safe.
 */
final class EvaluationStages {
  /** A part of the expression; its sources are inputs and, after them, earlier stages' results. */
  private record Stage(ElementwiseRun run, List<Integer> sources) {}

  private final List<Shape> aligned;
  private final List<Stage> stages = new ArrayList<>();

  private EvaluationStages(List<Shape> aligned) {
    this.aligned = aligned;
  }

  /**
   * The stages of {@code program}.
   *
   * @param shapes the input shapes
   * @param rowsMask bit k is set if input k has a leading row dimension
   */
  static EvaluationStages of(LoopProgram program, List<Shape> shapes, long rowsMask) {
    EvaluationStages stages = new EvaluationStages(BroadcastPlan.aligned(shapes, rowsMask));
    BroadcastPlan plan = BroadcastPlan.of(stages.aligned);
    BitSet small = plan.hasPartial() ? smallValues(program, plan) : new BitSet();
    if (small.isEmpty()) {
      List<Integer> all = new ArrayList<>();
      for (int i = 0; i < shapes.size(); i++) {
        all.add(i);
      }
      stages.add(program, plan, all);
      return stages;
    }
    List<Shape> known = new ArrayList<>(stages.aligned);
    for (LoopPiece piece : LoopPiece.cutAt(program, small)) {
      List<Shape> own = piece.sources().stream().map(known::get).toList();
      BroadcastPlan ownPlan = BroadcastPlan.of(own);
      known.add(ownPlan.output());
      stages.add(piece.program(), ownPlan, piece.sources());
    }
    return stages;
  }

  private void add(LoopProgram program, BroadcastPlan plan, List<Integer> sources) {
    List<DataType> inputs = program.inputs();
    stages.add(new Stage(new ElementwiseRun(LoopPiece.cut(program), inputs, plan), sources));
  }

  /** The computed values that vary along fewer dimensions than a value that reads them. */
  private static BitSet smallValues(LoopProgram program, BroadcastPlan plan) {
    List<Instruction> instructions = program.instructions();
    BitSet[] varies = new BitSet[instructions.size()];
    BitSet small = new BitSet();
    for (int i = 0; i < varies.length; i++) {
      Instruction instruction = instructions.get(i);
      varies[i] = new BitSet();
      if (instruction instanceof Instruction.Load load) {
        varies[i].or(dimensions(plan, load.index()));
      }
      for (int operand : LoopProgram.operands(instruction)) {
        varies[i].or(varies[operand]);
      }
      for (int operand : LoopProgram.operands(instruction)) {
        if (!varies[operand].isEmpty()
            && !varies[operand].equals(varies[i])
            && !(instructions.get(operand) instanceof Instruction.Load)) {
          small.set(operand);
        }
      }
    }
    return small;
  }

  private static BitSet dimensions(BroadcastPlan plan, int input) {
    BitSet dimensions = new BitSet();
    if (plan.access(input) != Access.SINGLE) {
      for (int i = 0; i < plan.dimensions(); i++) {
        dimensions.set(i, plan.varies(input, i));
      }
    }
    return dimensions;
  }

  /** The result for {@code operands}, which have the shapes given to {@link #of}. */
  Tensor run(Tensor[] operands, Cancellation cancellation) {
    if (stages.size() == 1) {
      return stages.getFirst().run().run(operands, cancellation);
    }
    List<Tensor> values = new ArrayList<>();
    for (int i = 0; i < operands.length; i++) {
      values.add(operands[i].reshape(aligned.get(i)));
    }
    for (Stage stage : stages) {
      Tensor[] own = stage.sources().stream().map(values::get).toArray(Tensor[]::new);
      values.add(stage.run().run(own, cancellation));
    }
    return values.getLast();
  }
}
