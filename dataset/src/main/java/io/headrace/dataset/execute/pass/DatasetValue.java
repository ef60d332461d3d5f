package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * What a dataset op's variant output holds: the recipe of a sequence of elements, of which any
 * number of passes can be made. Immutable; safe to share between threads.
 */
public interface DatasetValue {
  /** The {@link #cardinality} of a dataset that never ends. */
  long INFINITE = -1;

  /** The {@link #cardinality} of a dataset whose length is not known before it was read. */
  long UNKNOWN = -2;

  /** The dtype of each component. */
  List<DataType> outputTypes();

  /** The shape of each component, as far as it is known. */
  List<Shape> outputShapes();

  /** Number of elements, {@link #INFINITE} or {@link #UNKNOWN}. */
  long cardinality();

  /**
   * Whether a function that runs in a pass may touch a resource (a variable, a table, a generator).
   * Two such functions of one pipeline, of which one changes a resource, and all that lies between
   * them, run one row at a time, so that each sees the resource as if elements came one at a time.
   */
  default boolean touchesResources() {
    return false;
  }

  /** Whether a function that runs in a pass may change a resource. */
  default boolean changesResources() {
    return false;
  }

  /**
   * The sources whose splits can be read by different workers, in TensorFlow's order: from left to
   * right, those in functions left out.
   *
   * @throws StatusException UNIMPLEMENTED, naming it, if a source has no splits, as those have none
   *     that read files without a dataset of file names before them
   */
  default List<SplitSource> splitSources() {
    throw StatusException.unimplemented(
        "Cannot create split providers for dataset of type %s, because it has no inputs: put what"
            + " it reads, such as file names, into a dataset of its own, and map that flat",
        getClass().getSimpleName());
  }

  /**
   * What a pass over numbered splits tells of its rows' origins. A dataset that says nothing loses
   * them.
   */
  default Lineage lineage() {
    return Lineage.Lost.of(
        getClass().getSimpleName(), "it does not tell which records its elements are made of");
  }

  /**
   * Begins a pass, over the splits that {@code context} provides if it provides some. The caller
   * closes the iterator.
   */
  ChunkIterator iterator(IteratorContext context);
}
