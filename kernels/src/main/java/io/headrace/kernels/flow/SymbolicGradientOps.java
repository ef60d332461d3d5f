package io.headrace.kernels.flow;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** SymbolicGradient: the gradient of a function of the graph library. */
final class SymbolicGradientOps {
  private SymbolicGradientOps() {}

  static List<Op> ops() {
    return List.of(gradient());
  }

  private static Op gradient() {
    return Op.define("SymbolicGradient(input: [Tin]) -> output: [Tout]")
        .attrs("Tin: list(type)", "Tout: list(type)", "f: func")
        .remark(
            "Derived by the rules of Graph.gradients, some of which require known ranks; a gradient"
                + " registered in the library is used as it is.")
        .shape(SymbolicGradientOps::gradientShapes)
        .kernel(node -> {
          CallableFunction gradient = node.functions().gradient(node.attrs().function("f"));
          checkTypes(node, gradient);
          return call ->
              FunctionCalls.setOutputs(
                  call, gradient.call(FunctionCalls.arguments(call, 0), call.step()));
        });
  }

  /** Each gradient has the shape of its argument. */
  private static List<Shape> gradientShapes(ShapeFunction.Inputs in) {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < Math.min(in.count(), in.attrs().types("Tout").size()); i++) {
      shapes.add(in.shape(i));
    }
    return shapes;
  }

  private static void checkTypes(NodeSpec node, CallableFunction function) {
    if (!node.inputTypes().equals(function.inputTypes())
        || !node.outputTypes().equals(function.outputTypes())) {
      throw StatusException.invalidArgument(
          "node %s takes %s -> %s of the gradient of function %s, which is %s -> %s",
          node.name(),
          node.inputTypes(),
          node.outputTypes(),
          node.attrs().function("f").name(),
          function.inputTypes(),
          function.outputTypes());
    }
  }
}
