package io.headrace.runtime.op;

/**
 * The side effects of an op, from none to most. They decide whether rows may be computed together.
 * TensorFlow distinguishes only {@link #NONE} from the others, which it calls stateful.
 */
public enum Effect {
  /** None: the outputs are a function of the inputs. */
  NONE,
  /**
   * Checks its inputs, and runs for that even if its outputs are unused. Rows may be computed
   * together, and an error belongs to its row.
   */
  CHECKS,
  /**
   * Reads state that other ops may change: a variable, a table. Rows may be computed together as
   * long as no op that {@link #CHANGES} the state runs between them.
   */
  READS,
  /** Changes state, draws random numbers, or does output: rows run one by one, in order. */
  CHANGES;

  /** The greater of both effects. */
  public Effect or(Effect other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
