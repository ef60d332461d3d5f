package io.headrace.dispatcher.statistics;

import io.headrace.dataset.plan.FunctionNames;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How the time of a stage goes on one worker. The shares add up to 1.
 *
 * @param consumer the index of the stage that reads it, which comes before it; -1: the worker's
 *     buffer
 * @param name the name of its iterators
 * @param function the function that it calls; empty for none
 * @param starved the share of the time in which it waits for its input
 * @param blocked the share in which it waits for its consumer
 * @param busy the share in which it works; of several threads, the mean
 * @param rowsPerSecond the rows that it returns
 * @param threads the threads that work for it
 * @param maxThreads the most that may
 * @param fill how full its buffer is when a reader comes to it; empty for a stage without one
 * @param kernels the ops of its function that take the most time, the first the most
 */
public record StageLoad(
    int consumer,
    String name,
    String function,
    double starved,
    double blocked,
    double busy,
    double rowsPerSecond,
    long threads,
    long maxThreads,
    OptionalDouble fill,
    List<Kernel> kernels) {
  /**
   * An op of a stage's function.
   *
   * @param op its name
   * @param share its part of the time in which the stage is busy
   */
  public record Kernel(String op, double share) {}

  public StageLoad {
    kernels = List.copyOf(kernels);
  }

  /** A stage whose function's ops took no time that was seen. */
  public StageLoad(
      int consumer,
      String name,
      String function,
      double starved,
      double blocked,
      double busy,
      double rowsPerSecond,
      long threads,
      long maxThreads,
      OptionalDouble fill) {
    this(
        consumer,
        name,
        function,
        starved,
        blocked,
        busy,
        rowsPerSecond,
        threads,
        maxThreads,
        fill,
        List.of());
  }

  /** The stage for a sentence: its name, and the user's function. */
  public String text() {
    String of = FunctionNames.readable(function);
    return of.isEmpty() ? name : "%s(%s)".formatted(name, of);
  }
}
