package io.headrace.runtime.op;

import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Infers the shapes of a node's outputs before anything runs, as far as they can be known.
 * INVALID_ARGUMENT where the inputs' shapes can never fit.
 */
@FunctionalInterface
public interface ShapeRule {
  /** What is known of a node's inputs while its graph is built. */
  interface Inputs {
    /** The attrs of the node. */
    Attrs attrs();

    /** Number of inputs. */
    int count();

    /** The shape of input {@code index}, perhaps not fully known. */
    Shape shape(int index);

    /** The value of input {@code index} if it is a constant. */
    @Nullable Tensor constant(int index);
  }

  /** The shapes of all outputs. */
  List<Shape> infer(Inputs inputs);
}
