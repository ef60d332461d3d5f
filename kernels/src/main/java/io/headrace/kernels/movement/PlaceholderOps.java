package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * Placeholder fails unless the client feeds it; PlaceholderWithDefault passes its input on unless
 * the client feeds it.
 */
final class PlaceholderOps {
  private PlaceholderOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Placeholder() -> output: dtype")
            .attrs("dtype: type", "shape: shape = { unknown_rank: true }")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .runsOnHost()
            .kernel(RowKernel.made(PlaceholderOps::placeholder)),
        Op.define("PlaceholderWithDefault(input: dtype) -> output: dtype")
            .attrs("dtype: type", "shape: shape")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .passesTensors()
            .kernel(RowKernel.of(IdentityOps::pass)));
  }

  private static RowKernel.Body placeholder(NodeSpec node) {
    Shape shape = node.attrs().shape("shape");
    return _ -> {
      throw invalidArgument(
          "You must feed a value for placeholder tensor '%s' with dtype %s%s",
          node.name(),
          node.outputTypes().getFirst().tfName(),
          shape.rank() > 0 ? " and shape " + shape : "");
    };
  }
}
