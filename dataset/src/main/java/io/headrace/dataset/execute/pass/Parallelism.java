package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.Attrs;

/**
 * How many calls of a function run at once, and whether their results keep the order of their
 * inputs.
 *
 * @param calls how many; {@link #AUTOTUNE} where the pass finds out; 0 for one after the other,
 *     which may be changed where calls are slow
 * @param order whether results keep their order
 */
public record Parallelism(long calls, Order order) {
  /** The number that asks for as many as pay. */
  public static final long AUTOTUNE = -1;

  private static final long MAX_CALLS = 1024;

  /** One call after the other. */
  public static final Parallelism NONE = new Parallelism(0, Order.KEPT);

  /** What becomes of the order of the input. */
  public enum Order {
    /** As the options of the dataset say; kept unless they say otherwise. */
    DEFAULT,
    /** The results come in the order of the inputs. */
    KEPT,
    /** Whatever is ready first comes first. */
    SLOPPY
  }

  /** What {@code num_parallel_calls} and {@code deterministic} say. */
  public static Parallelism of(Arguments in) {
    return new Parallelism(calls(in), order(in));
  }

  /** What {@code num_parallel_calls} says, for ops that have an attr {@code sloppy}. */
  public static Parallelism ofSloppy(Arguments in, boolean sloppy) {
    return new Parallelism(calls(in), sloppy ? Order.SLOPPY : Order.KEPT);
  }

  private static long calls(Arguments in) {
    long calls = in.integer("num_parallel_calls");
    if (calls < 1 && calls != AUTOTUNE) {
      throw in.invalid("num_parallel_calls must be greater than zero, and is %d", calls);
    }
    return calls;
  }

  /** What the attr {@code deterministic} says. */
  public static Order order(Arguments in) {
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

  /** How many calls a pass in {@code context} may run at once. */
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
