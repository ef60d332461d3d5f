package io.headrace.kernels.movement;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Ops that pass their inputs on unchanged, without a copy. */
final class IdentityOps {
  private IdentityOps() {}

  static List<Op> ops() {
    return List.of(
        unary("Identity(input: T) -> output: T"),
        unary("Snapshot(input: T) -> output: T"),
        unary("StopGradient(input: T) -> output: T"),
        Op.define("PreventGradient(input: T) -> output: T")
            .attrs("T: type", "message: string = ''")
            .shape(ShapeFunctions.SAME)
            .passesTensors()
            .kernel(RowKernel.of(IdentityOps::pass)),
        Op.define("GuaranteeConst(input: T) -> output: T")
            .attrs("T: type")
            .stateful(Effect.CHECKS)
            .shape(ShapeFunctions.SAME)
            .kernel(RowKernel.of(IdentityOps::pass)),
        Op.define("IdentityN(input: [T]) -> (output: [T])")
            .attrs("T: list(type)")
            .shape(IdentityOps::sameShapes)
            .passesTensors()
            .kernel(RowKernel.of(IdentityOps::pass)));
  }

  private static Op unary(String signature) {
    return Op.define(signature)
        .attrs("T: type")
        .shape(ShapeFunctions.SAME)
        .passesTensors()
        .kernel(RowKernel.of(IdentityOps::pass));
  }

  static boolean pass(Rows rows) {
    for (int i = 0; i < rows.inputs(); i++) {
      rows.setView(i, i, rows.shape(i));
    }
    return true;
  }

  private static List<Shape> sameShapes(ShapeFunction.Inputs in) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      shapes.add(in.shape(i));
    }
    return shapes;
  }
}
