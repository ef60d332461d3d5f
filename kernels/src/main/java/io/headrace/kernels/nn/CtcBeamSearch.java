package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The beam search of A. Graves, Supervised Sequence Labelling with Recurrent Neural Networks,
 * section 7.5: after each time step the most probable sequences of labels, as many as the beam is
 * wide. The last class is the blank.
 */
final class CtcBeamSearch {
  /** About as many bytes as a sequence takes in the tree and in the lists of a step. */
  private static final long BYTES_PER_BEAM = 240;

  private final LogArithmetic arithmetic;
  private final int classes;
  private final int width;
  private final Cancellation stop;
  private final TopBeams leaves;

  /** The number of sequences in the tree. */
  private long known = 1;

  /** Sequences that left the beam at this step. */
  private final List<CtcBeam> dropped = new ArrayList<>();

  CtcBeamSearch(LogArithmetic arithmetic, int classes, int width, Cancellation stop) {
    this.arithmetic = arithmetic;
    this.classes = classes;
    this.width = width;
    this.stop = stop;
    this.leaves = new TopBeams(width);
    leaves.push(CtcBeam.root());
  }

  /** Goes on by a time step with the given logits. */
  void step(double[] logits) {
    double offset = logOfSum(logits);
    List<CtcBeam> branches = leaves.extract();
    leaves.clear();
    branches.forEach(CtcBeam::age);
    for (CtcBeam beam : branches) {
      extend(beam, logits, offset);
      leaves.push(beam);
    }
    for (CtcBeam beam : branches) {
      stop.check();
      if (isCandidate(beam.oldTotal)) {
        grow(beam, logits, offset);
      }
    }
    prune();
  }

  /** The logarithm of the sum of the exponentials of the logits. */
  private double logOfSum(double[] logits) {
    double most = logits[0];
    for (double logit : logits) {
      most = Math.max(most, logit);
    }
    double sum = 0;
    for (double logit : logits) {
      sum = arithmetic.round(sum + arithmetic.exp(arithmetic.round(logit - most)));
    }
    return arithmetic.round(most + arithmetic.log(sum));
  }

  /** Sets the probabilities of a sequence that stays in the beam. */
  private void extend(CtcBeam beam, double[] logits, double offset) {
    CtcBeam parent = beam.parent;
    if (parent != null) {
      if (parent.isActive()) {
        double before = beam.label == parent.label ? parent.oldBlankLast : parent.oldTotal;
        beam.labelLast = arithmetic.sum(beam.labelLast, before);
      }
      double logit = arithmetic.round(logits[beam.label] - offset);
      beam.labelLast = arithmetic.round(beam.labelLast + logit);
    }
    double withBlank = arithmetic.round(beam.oldTotal + logits[classes - 1]);
    beam.blankLast = arithmetic.round(withBlank - offset);
    beam.total = arithmetic.sum(beam.blankLast, beam.labelLast);
  }

  /** Whether a sequence of probability {@code total} belongs to the beam. */
  private boolean isCandidate(double total) {
    return total > LogArithmetic.ZERO && (leaves.size() < width || total > leaves.bottom().total);
  }

  /** Adds the sequences that are longer than {@code beam} by a label. */
  private void grow(CtcBeam beam, double[] logits, double offset) {
    for (int label = 0; label < classes - 1; label++) {
      CtcBeam child = beam.child(label);
      if (child == null || !child.isActive()) {
        double before = label == beam.label ? beam.oldBlankLast : beam.oldTotal;
        double logit = arithmetic.round(logits[label] - offset);
        add(beam, label, child, arithmetic.round(logit + before));
      }
    }
  }

  /** Adds the child of {@code parent} to the beam if its probability {@code total} suffices. */
  private void add(CtcBeam parent, int label, @Nullable CtcBeam before, double total) {
    if (!isCandidate(total)) {
      if (before != null) {
        before.forget();
      }
      return;
    }
    CtcBeam child = before != null ? before : grow(parent, label);
    child.blankLast = LogArithmetic.ZERO;
    child.labelLast = total;
    child.total = total;
    if (leaves.size() == width) {
      CtcBeam bottom = leaves.bottom();
      bottom.deactivate();
      dropped.add(bottom);
    }
    leaves.push(child);
  }

  /** A new sequence in the tree; RESOURCE_EXHAUSTED if the tree would become too large. */
  private CtcBeam grow(CtcBeam parent, int label) {
    long bound = TensorLimit.maxBytes();
    if ((known + 1) * BYTES_PER_BEAM > bound) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "the beam search of CTC knows %d sequences, which take more than the bound of %d bytes"
              + " for one tensor",
          known + 1,
          bound);
    }
    known++;
    return parent.grow(label);
  }

  /** Removes the sequences from the tree that left the beam and begin none that is in it. */
  private void prune() {
    if (dropped.isEmpty()) {
      return;
    }
    Set<CtcBeam> kept = Collections.newSetFromMap(new IdentityHashMap<>());
    kept.addAll(leaves.unordered());
    for (CtcBeam gone : dropped) {
      CtcBeam beam = gone;
      while (beam != null && beam.isLeaf() && !beam.isActive() && !kept.contains(beam)) {
        known -= beam.unlink() ? 1 : 0;
        beam = beam.parent;
      }
    }
    dropped.clear();
  }

  /**
   * The {@code count} most probable sequences, the best first; INVALID_ARGUMENT if there are fewer.
   */
  List<CtcBeam> best(int count) {
    if (count > width) {
      throw invalidArgument("requested more paths than the beam width.");
    }
    if (count > leaves.size()) {
      throw invalidArgument("Less leaves in the beam search than requested.");
    }
    TopBeams best = new TopBeams(count);
    leaves.unordered().forEach(best::push);
    return best.extract();
  }
}
