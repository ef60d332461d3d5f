package io.headrace.kernels.nn;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of labels in a {@link CtcBeamSearch}: a node of the tree of its prefixes, with the
 * logarithms of its probabilities.
 */
final class CtcBeam {
  final @Nullable CtcBeam parent;

  /** The last label; -1 for the empty sequence. */
  final int label;

  /** The number of labels. */
  final int length;

  /** The known sequences that are longer by a label; immutable while there are none. */
  private Map<Integer, CtcBeam> children = Map.of();

  /** The probability of the sequence, and its parts where a blank and a label came last. */
  double total = LogArithmetic.ZERO;

  double blankLast = LogArithmetic.ZERO;
  double labelLast = LogArithmetic.ZERO;

  /** The same at the time step before. */
  double oldTotal = LogArithmetic.ZERO;

  double oldBlankLast = LogArithmetic.ZERO;

  private CtcBeam(@Nullable CtcBeam parent, int label) {
    this.parent = parent;
    this.label = label;
    this.length = parent == null ? 0 : parent.length + 1;
  }

  /** The empty sequence, with probability 1. */
  static CtcBeam root() {
    CtcBeam root = new CtcBeam(null, -1);
    root.total = 0;
    root.blankLast = 0;
    return root;
  }

  /** The known sequence that is longer by {@code next}. */
  @Nullable CtcBeam child(int next) {
    return children.isEmpty() ? null : children.get(next);
  }

  /** A sequence, to be known from now on, that is longer by {@code next}. */
  CtcBeam grow(int next) {
    CtcBeam child = new CtcBeam(this, next);
    if (children.isEmpty()) {
      children = new HashMap<>(2);
    }
    children.put(next, child);
    return child;
  }

  /** Whether the sequence has a probability, which it has not once it left the beam. */
  boolean isActive() {
    return total != LogArithmetic.ZERO;
  }

  /** Takes the sequence's probability away. */
  void deactivate() {
    total = LogArithmetic.ZERO;
    blankLast = LogArithmetic.ZERO;
    labelLast = LogArithmetic.ZERO;
  }

  /** The same, and forgets the step before. */
  void forget() {
    deactivate();
    oldTotal = LogArithmetic.ZERO;
    oldBlankLast = LogArithmetic.ZERO;
  }

  /** Makes the probabilities those of the step before. */
  void age() {
    oldTotal = total;
    oldBlankLast = blankLast;
  }

  /** Whether the tree needs the sequence only if it is active. */
  boolean isLeaf() {
    return children.isEmpty();
  }

  /** Removes the sequence from the tree; whether it was in one, and not its root. */
  boolean unlink() {
    if (parent == null || parent.child(label) != this) {
      return false;
    }
    parent.children.remove(label);
    if (parent.children.isEmpty()) {
      parent.children = Map.of();
    }
    return true;
  }

  /** The labels, with only the first of equal ones in a row if {@code mergeRepeated}. */
  int[] labels(boolean mergeRepeated) {
    int[] labels = new int[length];
    int from = length;
    int next = -1;
    for (CtcBeam beam = this; beam.parent != null; beam = beam.parent) {
      if (!mergeRepeated || beam.label != next) {
        labels[--from] = beam.label;
      }
      next = beam.label;
    }
    return Arrays.copyOfRange(labels, from, length);
  }
}
