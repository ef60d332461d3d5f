package io.headrace.dataset.execute.pass;

/** A dataset that applies a function to the elements of one input. */
public interface FunctionDataset extends UnaryDataset.Declared {
  /** The function that runs for each row of the input. */
  CapturedFunction function();

  @Override
  default long cardinality() {
    return UNKNOWN;
  }

  @Override
  default boolean touchesResources() {
    return function().touchesResources() || input().touchesResources();
  }

  @Override
  default boolean changesResources() {
    return function().changesResources() || input().changesResources();
  }

  /**
   * Whether rows must be computed one at a time, because both the function and the pipeline before
   * it access resources and one of them changes a resource.
   */
  default boolean goesRowByRow() {
    return function().touchesResources() && input().touchesResources() && changesResources();
  }
}
