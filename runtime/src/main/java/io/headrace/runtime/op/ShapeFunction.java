package io.headrace.runtime.op;

import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A shape function: infers the shapes of a node's outputs before it runs, as far as they can be
 * known. INVALID_ARGUMENT if the inputs' shapes are incompatible.
 */
@FunctionalInterface
public interface ShapeFunction {
  /** The inputs of a node, as far as they are known while its graph is built. */
  interface Inputs {
    /** The attrs of the node. */
    Attrs attrs();

    /** Number of inputs. */
    int count();

    /** The shape of input {@code index}, which may be partly unknown. */
    Shape shape(int index);

    /** The value of input {@code index} if it is a constant; otherwise null. */
    @Nullable Tensor constant(int index);
  }

  /** The shapes of all outputs. */
  List<Shape> infer(Inputs inputs);
}
