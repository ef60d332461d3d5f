package io.headrace.dataset.execute.pass;

import java.util.Optional;

/**
 * How a pass over numbered splits reports each row's {@link io.headrace.runtime.origin.Origins
 * origin}.
 */
public sealed interface Lineage {
  /** Origins are reported; from the most to the least specific. */
  enum Told implements Lineage {
    /** Each row is one split of a source. */
    SPLITS,
    /** Each row is one of the records that a flat map makes of a split. */
    RECORDS,
    /** A row may be made of several records, or of none. */
    SEVERAL
  }

  /**
   * Origins are not reported, or differ from pass to pass.
   *
   * @param reason the dataset that loses them, and why: a clause that begins with its op
   * @param remade whether another pass over exactly the same splits makes everything again that is
   *     made of them; false if it needs other splits, or other passes over the same splits
   */
  record Lost(String reason, boolean remade) implements Lineage {
    /** {@code op} loses origins for the reason {@code why}; its elements are not made again. */
    public static Lost of(String op, String why) {
      return new Lost(op + ": " + why, false);
    }

    /**
     * {@code op} over {@code input} loses origins; its elements are made again if the input's are.
     */
    public static Lineage remade(Lineage input, String op, String why) {
      return input.reasonNotRemade().isPresent() ? input : new Lost(op + ": " + why, true);
    }
  }

  /**
   * The reason why another pass over the same splits does not make everything again; empty if it
   * does.
   */
  default Optional<String> reasonNotRemade() {
    return this instanceof Lost lost && !lost.remade()
        ? Optional.of(lost.reason())
        : Optional.empty();
  }

  /** The reason why origins are lost; empty if they are reported. */
  default Optional<String> reasonLost() {
    return this instanceof Lost lost ? Optional.of(lost.reason()) : Optional.empty();
  }

  /** The lineage of rows made of several rows with this lineage. */
  default Lineage united() {
    return this instanceof Lost ? this : Told.SEVERAL;
  }

  /** The lineage of a mix of rows with this lineage and rows with {@code other}. */
  default Lineage or(Lineage other) {
    if (!(this instanceof Told told && other instanceof Told otherTold)) {
      boolean otherSaysLess = other.reasonNotRemade().isPresent() || !(this instanceof Lost);
      return otherSaysLess && reasonNotRemade().isEmpty() ? other : this;
    }
    return told == otherTold ? this : Told.SEVERAL;
  }
}
