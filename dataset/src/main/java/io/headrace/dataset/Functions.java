package io.headrace.dataset;

import io.headrace.runtime.graph.Output;

/**
 * The lambdas that transformations take. They are called once, while the dataset is defined, and
 * traced into a function of the graph; what they return is an {@link Output}, or a List or Map of
 * such.
 */
public final class Functions {
  private Functions() {}

  /** Of elements with one component. */
  @FunctionalInterface
  public interface Of1 {
    /** The result for a component. */
    Object apply(Output component);
  }

  /** Of elements with two components. */
  @FunctionalInterface
  public interface Of2 {
    /** The result for two components. */
    Object apply(Output first, Output second);
  }

  /** Of elements with three components. */
  @FunctionalInterface
  public interface Of3 {
    /** The result for three components. */
    Object apply(Output first, Output second, Output third);
  }

  /** Of elements of any structure. */
  @FunctionalInterface
  public interface OfElement {
    /** The result for an element. */
    Object apply(SymbolicElement element);
  }

  /** A condition on elements with one component: a scalar bool. */
  @FunctionalInterface
  public interface Condition {
    /** Whether it holds. */
    Output test(Output component);
  }

  /** A condition on elements of any structure: a scalar bool. */
  @FunctionalInterface
  public interface ElementCondition {
    /** Whether it holds. */
    Output test(SymbolicElement element);
  }

  /** From an element with one component to a dataset. */
  @FunctionalInterface
  public interface ToDataset {
    /** The dataset for a component. */
    Dataset apply(Output component);
  }

  /** From an element of any structure to a dataset. */
  @FunctionalInterface
  public interface ElementToDataset {
    /** The dataset for an element. */
    Dataset apply(SymbolicElement element);
  }

  /** From a key, a scalar int64, and the dataset of a group's elements to a dataset. */
  @FunctionalInterface
  public interface Reduction {
    /** The dataset for a group. */
    Dataset apply(Output key, Dataset group);
  }
}
