package io.headrace.dispatcher.graph;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds inputs of dataset ops by the names in the ops' declarations. */
final class DatasetInputs {
  private static final Set<String> SEEDS = Set.of("seed", "seed2", "seed_generator");

  private DatasetInputs() {}

  /** The indices of the seeds of a shuffle; empty for other ops. */
  static Set<Integer> shuffleSeeds(NodeDef node) {
    return node.getOp().startsWith("Shuffle") ? indices(node, SEEDS) : Set.of();
  }

  /** The indices of a dataset op's inputs called {@code names}; empty for other ops. */
  static Set<Integer> indices(NodeDef node, Set<String> names) {
    @Nullable Op op = OpRegistry.standard().find(node.getOp());
    if (op == null || !op.name().contains("Dataset")) {
      return Set.of();
    }
    try {
      return indices(op, new Attrs(node.getName(), op, node.getAttrMap()), names);
    } catch (StatusException _) {
      return Set.of(); // invalid attrs are reported when the dataset is instantiated
    }
  }

  private static Set<Integer> indices(Op op, Attrs attrs, Set<String> names) {
    Set<Integer> indices = new HashSet<>();
    int index = 0;
    for (ArgSpec input : op.inputs()) {
      if (names.contains(input.name())) {
        indices.add(index);
      }
      index += input.count(attrs);
    }
    return indices;
  }
}
