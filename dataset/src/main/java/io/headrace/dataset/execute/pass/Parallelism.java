package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.Attrs;

/**
 * The number of calls of a function that run in parallel, and whether results keep the order of
 * their inputs.
 *
 * @param calls the number of calls; {@link #AUTOTUNE} adapts; 0 runs one after the other, unless
 *     the pass finds calls slow
 * @param order the order of the results
 */
public record Parallelism(long calls, Order order) {
  /** Adapts the number of calls at run time. */
  public static final long AUTOTUNE = -1;

  private static final long MAX_CALLS = 1024;

  /** One call after the other. */
  public static final Parallelism NONE = new Parallelism(0, Order.KEPT);

  /** The order of results. */
  public enum Order {
    /** The order that the dataset's options choose; kept by default. */
    DEFAULT,
    /** Results in the order of their inputs. */
    KEPT,
    /** Results as they become ready. */
    SLOPPY
  }

  /** Reads the input {@code num_parallel_calls} and the attr {@code deterministic}. */
  public static Parallelism of(OpArguments in) {
    return new Parallelism(calls(in), order(in));
  }

  /** Reads the input {@code num_parallel_calls}, for ops with an attr {@code sloppy}. */
  public static Parallelism ofSloppy(OpArguments in, boolean sloppy) {
    return new Parallelism(calls(in), sloppy ? Order.SLOPPY : Order.KEPT);
  }

  private static long calls(OpArguments in) {
    long calls = in.integer("num_parallel_calls");
    if (calls < 1 && calls != AUTOTUNE) {
      throw in.invalid("num_parallel_calls must be greater than zero, and is %d", calls);
    }
    return calls;
  }

  /** Reads the attr {@code deterministic}. */
  public static Order order(OpArguments in) {
    Attrs attrs = in.attrs();
    return switch (attrs.string("deterministic")) {
      case "true" -> Order.KEPT;
      case "false" -> Order.SLOPPY;
      case "default" -> Order.DEFAULT;
      default ->
          throw in.invalid(
              "deterministic must be true, false or default, and is %s",
              attrs.string("deterministic"));
    };
  }

  public boolean isNone() {
    return calls == 0;
  }

  /** The most calls that a pass in {@code context} runs in parallel. */
  public int limit(IteratorContext context) {
    return calls <= 0 ? Math.max(1, context.parallelism()) : (int) Math.min(calls, MAX_CALLS);
  }

  /** Whether a pass in {@code context} keeps the order. */
  public boolean keepsOrder(IteratorContext context) {
    return context.inOrder()
        || order == Order.KEPT
        || (order == Order.DEFAULT && context.deterministic());
  }
}
