package io.headrace.dataset.execute.pass;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * The dataset in a dataset op's variant output: the definition of a sequence of elements, over
 * which any number of passes can run. Immutable and thread-safe.
 */
public interface DatasetValue {
  /** The {@link #cardinality} of an infinite dataset. */
  long INFINITE = -1;

  /** The {@link #cardinality} of a dataset whose length is unknown before it is read. */
  long UNKNOWN = -2;

  /** The dtype of each component. */
  List<DataType> outputTypes();

  /** The static shape of each component. */
  List<Shape> outputShapes();

  /** The number of elements, {@link #INFINITE} or {@link #UNKNOWN}. */
  long cardinality();

  /**
   * Whether a function of the pipeline may access a resource (a variable, a table, a generator). If
   * two functions of a pipeline do, and one of them changes the resource, the functions and
   * everything between them run row by row, so that each sees the resource as if elements came one
   * at a time.
   */
  default boolean touchesResources() {
    return false;
  }

  /** Whether a function of the pipeline may change a resource. */
  default boolean changesResources() {
    return false;
  }

  /**
   * The sources whose splits different workers can read, in TensorFlow's order: from left to right,
   * without those inside functions.
   *
   * @throws StatusException UNIMPLEMENTED, naming the source, if a source has no splits, as file
   *     readers without a dataset of file names before them
   */
  default List<SplitSource> splitSources() {
    throw StatusException.unimplemented(
        "Cannot create split providers for dataset of type %s, because it has no inputs: put what"
            + " it reads, such as file names, into a dataset of its own, and map that flat, as"
            + " Dataset.files(pattern).%s does",
        iteratorName() + "Dataset",
        switch (iteratorName()) {
          case "CSV" -> "csv(format)";
          case "TFRecord" -> "records()";
          case "FixedLengthRecord" -> "fixedLength(recordBytes)";
          default -> "lines()";
        });
  }

  /** How a pass over numbered splits reports the origins of its rows. By default they are lost. */
  default Lineage lineage() {
    return Lineage.Lost.of(
        getClass().getSimpleName(), "it does not tell which records its elements are made of");
  }

  /**
   * The dataset of this one's elements at {@code rows}, in that order. It is read without splits.
   *
   * @param rows indices of elements; each is below the {@link #cardinality}
   * @throws StatusException UNIMPLEMENTED if elements cannot be read in any order
   */
  default DatasetValue select(RowIndices rows) {
    throw StatusException.unimplemented(
        "%s does not support random access.", getClass().getSimpleName());
  }

  /** The name of its iterators in an {@link IteratorPath}: that of TensorFlow's own iterator. */
  default String iteratorName() {
    return getClass().getSimpleName().replace("Dataset", "");
  }

  /**
   * Starts a pass, over the splits of {@code context} if it has any. The caller closes the
   * iterator. Iterators and users of a pass call {@link IteratorContext#open} instead.
   */
  ChunkIterator iterator(IteratorContext context);
}
