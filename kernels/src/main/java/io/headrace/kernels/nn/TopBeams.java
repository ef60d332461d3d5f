package io.headrace.kernels.nn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The most probable of the beams pushed, up to a limit. It keeps and orders equally probable ones
 * as TensorFlow's container does: an unordered list at first, with the least probable beam in front
 * once that was asked for, then a heap.
 */
final class TopBeams {
  private final int limit;

  private List<CtcBeam> beams = new ArrayList<>();

  private boolean isBottomFirst;
  private boolean isHeap;

  TopBeams(int limit) {
    this.limit = limit;
  }

  int size() {
    return beams.size();
  }

  /** Adds {@code beam}; above the limit, the least probable one leaves. */
  void push(CtcBeam beam) {
    if (isHeap) {
      if (BeamOrder.isBefore(beam, beams.getFirst())) {
        BeamOrder.popHeap(beams, limit);
        beams.set(limit - 1, beam);
        BeamOrder.pushHeap(beams, limit);
      }
      return;
    }
    beams.add(beam);
    if (beams.size() > limit) {
      BeamOrder.makeHeap(beams);
      BeamOrder.popHeap(beams, beams.size());
      beams.removeLast();
      isHeap = true;
    } else if (isBottomFirst && !BeamOrder.isBefore(beam, beams.getFirst())) {
      Collections.swap(beams, 0, beams.size() - 1);
    }
  }

  /** The least probable beam of at least one. */
  CtcBeam bottom() {
    if (!isBottomFirst && !isHeap) {
      int least = 0;
      for (int i = 1; i < beams.size(); i++) {
        least = BeamOrder.isBefore(beams.get(least), beams.get(i)) ? i : least;
      }
      Collections.swap(beams, 0, least);
      isBottomFirst = true;
    }
    return beams.getFirst();
  }

  /** The beams in the order of the container. */
  List<CtcBeam> unordered() {
    return Collections.unmodifiableList(beams);
  }

  /** Takes the beams, the most probable first; only {@link #clear} may follow. */
  List<CtcBeam> extract() {
    List<CtcBeam> result = new ArrayList<>(unordered());
    if (isHeap) {
      BeamOrder.sortHeap(result);
    } else {
      BeamOrder.sort(result);
    }
    return result;
  }

  /** Removes all beams. */
  void clear() {
    beams = new ArrayList<>();
    isBottomFirst = false;
    isHeap = false;
  }
}
