package io.headrace.dataset.plan;

import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Tells what other processes run to make the elements of a source. Implementations are found by
 * {@link java.util.ServiceLoader}, and are thread-safe.
 */
public interface RemotePlans {
  /**
   * The plan behind {@code source} in lines; empty unless the source is of the kind that the
   * implementation knows. May ask other processes, for a bounded time; where they do not answer,
   * the lines say so.
   *
   * @param source the node of a dataset without inputs that are datasets
   * @param inputs the constant inputs of the node, by their index; empty for others
   */
  Optional<List<String>> behind(NodeDef source, IntFunction<Optional<Tensor>> inputs);
}
