package io.headrace.dataset;

import io.headrace.runtime.graph.Output;
import java.util.List;

/**
 * The lambda types that transformations take. A lambda is called once, when the dataset is defined,
 * and traced into a function of the graph. It returns an {@link Output}, or a List or Map of them;
 * never null. {@link SymbolicElement}s and {@link Dataset}s stand for outputs, too.
 */
public final class Functions {
  private Functions() {}

  /** A function of elements with one component. */
  @FunctionalInterface
  public interface Of1 {
    /** The result for a component. */
    Object apply(Output component);
  }

  /** A function of elements with two components. */
  @FunctionalInterface
  public interface Of2 {
    /** The result for two components. */
    Object apply(Output first, Output second);
  }

  /** A function of elements with three components. */
  @FunctionalInterface
  public interface Of3 {
    /** The result for three components. */
    Object apply(Output first, Output second, Output third);
  }

  /** A function of elements of any structure. */
  @FunctionalInterface
  public interface OfElement {
    /** The result for an element. */
    Object apply(SymbolicElement element);
  }

  /** A predicate of elements with one component. */
  @FunctionalInterface
  public interface Condition {
    /** The scalar bool for a component. */
    Output test(Output component);
  }

  /** A predicate of elements of any structure. */
  @FunctionalInterface
  public interface ElementCondition {
    /** The scalar bool for an element. */
    Output test(SymbolicElement element);
  }

  /** A function from an element of any structure to a scalar, such as its length or its class. */
  @FunctionalInterface
  public interface ToScalar {
    /** The scalar for an element. */
    Output apply(SymbolicElement element);
  }

  /** A function from an element with one component to a dataset. */
  @FunctionalInterface
  public interface ToDataset {
    /** The dataset for a component. */
    Dataset apply(Output component);
  }

  /** A function from an element of any structure to a dataset. */
  @FunctionalInterface
  public interface ElementToDataset {
    /** The dataset for an element. */
    Dataset apply(SymbolicElement element);
  }

  /** A function from a state and an element to the next state and an element. */
  @FunctionalInterface
  public interface Scan {
    /** The next state and the result for an element. */
    Scanned apply(List<Output> state, SymbolicElement element);
  }

  /**
   * A function from a group's key, a scalar int64, and the dataset of its elements to a dataset.
   */
  @FunctionalInterface
  public interface Reduction {
    /** The dataset for a group. */
    Dataset apply(Output key, Dataset group);
  }
}
