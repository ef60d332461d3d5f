package io.headrace.dataset.execute.pass;

import java.util.Optional;

/**
 * What a pass over a dataset can say of each row's {@link io.headrace.runtime.origin.Origins
 * origin}, if the splits of the sources are numbered.
 */
public sealed interface Lineage {
  /** What rows are made of, where that is told, from what says most to what says least. */
  enum Told implements Lineage {
    /** Each row is one split of a source. */
    SPLITS,
    /** Each row is one of the records that a flat map makes of a split. */
    RECORDS,
    /** A row may be made of several records, or of none. */
    SEVERAL
  }

  /**
   * Nothing is told of rows, or not the same each time.
   *
   * @param reason which dataset is why, and what it does: a clause that begins with its op
   * @param remade whether another pass that is given the same splits, and no others, makes
   *     everything that is made of them: not where it takes other splits, or other passes over the
   *     same ones, to make it
   */
  record Lost(String reason, boolean remade) implements Lineage {
    /** {@code op}, of which is true what {@code why} says; its elements are not made again. */
    public static Lost of(String op, String why) {
      return new Lost(op + ": " + why, false);
    }

    /**
     * The same of {@code op} over {@code input}, whose elements are made again if the input's are.
     */
    public static Lineage remade(Lineage input, String op, String why) {
      return input.reasonNotRemade().isPresent() ? input : new Lost(op + ": " + why, true);
    }
  }

  /** Why another pass over the same splits does not make everything again; empty if it does. */
  default Optional<String> reasonNotRemade() {
    return this instanceof Lost lost && !lost.remade()
        ? Optional.of(lost.reason())
        : Optional.empty();
  }

  /** Why nothing is told; empty if it is told what each row is made of. */
  default Optional<String> reasonLost() {
    return this instanceof Lost lost ? Optional.of(lost.reason()) : Optional.empty();
  }

  /** Of rows that are made of several rows of which this is true. */
  default Lineage united() {
    return this instanceof Lost ? this : Told.SEVERAL;
  }

  /** Of rows of which some are as this says, and some as {@code other}. */
  default Lineage or(Lineage other) {
    if (!(this instanceof Told told && other instanceof Told otherTold)) {
      boolean otherSaysLess = other.reasonNotRemade().isPresent() || !(this instanceof Lost);
      return otherSaysLess && reasonNotRemade().isEmpty() ? other : this;
    }
    return told == otherTold ? this : Told.SEVERAL;
  }
}
