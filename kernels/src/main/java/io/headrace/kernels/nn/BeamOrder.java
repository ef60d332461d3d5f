package io.headrace.kernels.nn;

import java.util.Collections;
import java.util.List;

/**
 * Heaps and sorted lists of beams, the most probable first. Neither algorithm is stable, so equally
 * probable beams come in the order in which the algorithms of GNU's C++ library, which TensorFlow
 * uses, leave them: a heap whose root is the least probable beam (R. Floyd's sifting, to a leaf and
 * up again), and D. Musser's introspective sort.
 */
final class BeamOrder {
  /** The length up to which a list is sorted by insertion. */
  private static final int INSERTION = 16;

  private BeamOrder() {}

  /** Whether {@code a} is the more probable. */
  static boolean isBefore(CtcBeam a, CtcBeam b) {
    return a.total > b.total;
  }

  /** Moves the last of the first {@code size} beams into the heap of those before it. */
  static void pushHeap(List<CtcBeam> beams, int size) {
    siftUp(beams, 0, size - 1, 0, beams.get(size - 1));
  }

  private static void siftUp(List<CtcBeam> beams, int from, int start, int top, CtcBeam beam) {
    int hole = start;
    int parent = (hole - 1) / 2;
    while (hole > top && isBefore(beams.get(from + parent), beam)) {
      beams.set(from + hole, beams.get(from + parent));
      hole = parent;
      parent = (hole - 1) / 2;
    }
    beams.set(from + hole, beam);
  }

  /** Fills the hole at {@code top} of the heap of {@code size} beams with {@code beam}. */
  private static void sift(List<CtcBeam> beams, int from, int top, int size, CtcBeam beam) {
    int hole = top;
    int child = top;
    while (child < (size - 1) / 2) {
      child = 2 * (child + 1);
      if (isBefore(beams.get(from + child), beams.get(from + child - 1))) {
        child--;
      }
      beams.set(from + hole, beams.get(from + child));
      hole = child;
    }
    if (size % 2 == 0 && child == (size - 2) / 2) {
      child = 2 * (child + 1);
      beams.set(from + hole, beams.get(from + child - 1));
      hole = child - 1;
    }
    siftUp(beams, from, hole, top, beam);
  }

  /** Moves the root of the heap of the first {@code size} beams to their end. */
  static void popHeap(List<CtcBeam> beams, int size) {
    popHeap(beams, 0, size);
  }

  private static void popHeap(List<CtcBeam> beams, int from, int size) {
    if (size > 1) {
      CtcBeam last = beams.get(from + size - 1);
      beams.set(from + size - 1, beams.get(from));
      sift(beams, from, 0, size - 1, last);
    }
  }

  /** Makes a heap of all beams. */
  static void makeHeap(List<CtcBeam> beams) {
    makeHeap(beams, 0, beams.size());
  }

  private static void makeHeap(List<CtcBeam> beams, int from, int size) {
    for (int parent = (size - 2) / 2; size > 1 && parent >= 0; parent--) {
      sift(beams, from, parent, size, beams.get(from + parent));
    }
  }

  /** Sorts a heap. */
  static void sortHeap(List<CtcBeam> beams) {
    sortHeap(beams, 0, beams.size());
  }

  private static void sortHeap(List<CtcBeam> beams, int from, int size) {
    for (int left = size; left > 1; left--) {
      popHeap(beams, from, left);
    }
  }

  /** Sorts a list. */
  static void sort(List<CtcBeam> beams) {
    int size = beams.size();
    if (size > 1) {
      int depth = 31 - Integer.numberOfLeadingZeros(size);
      partition(beams, 0, size, 2 * depth);
      insert(beams, size);
    }
  }

  /** Sorts beams {@code from} to {@code to} up to swaps within short stretches. */
  private static void partition(List<CtcBeam> beams, int from, int to, int depth) {
    int end = to;
    for (int left = depth; end - from > INSERTION; left--) {
      if (left == 0) {
        makeHeap(beams, from, end - from);
        sortHeap(beams, from, end - from);
        return;
      }
      int cut = cut(beams, from, end);
      partition(beams, cut, end, left - 1);
      end = cut;
    }
  }

  /** Parts the beams around the median of three, and returns where the less probable begin. */
  private static int cut(List<CtcBeam> beams, int from, int to) {
    medianToFront(beams, from, from + 1, from + (to - from) / 2, to - 1);
    CtcBeam pivot = beams.get(from);
    int low = from + 1;
    int high = to;
    while (true) {
      while (isBefore(beams.get(low), pivot)) {
        low++;
      }
      high--;
      while (isBefore(pivot, beams.get(high))) {
        high--;
      }
      if (low >= high) {
        return low;
      }
      Collections.swap(beams, low, high);
      low++;
    }
  }

  private static void medianToFront(List<CtcBeam> beams, int front, int a, int b, int c) {
    boolean isAbeforeB = isBefore(beams.get(a), beams.get(b));
    boolean isAbeforeC = isBefore(beams.get(a), beams.get(c));
    boolean isBbeforeC = isBefore(beams.get(b), beams.get(c));
    int median;
    if (isAbeforeB) {
      median = isBbeforeC ? b : isAbeforeC ? c : a;
    } else {
      median = isAbeforeC ? a : isBbeforeC ? c : b;
    }
    Collections.swap(beams, front, median);
  }

  /** Insertion sort; beams after the first few are within reach of a smaller one before them. */
  private static void insert(List<CtcBeam> beams, int size) {
    for (int i = 1; i < size; i++) {
      CtcBeam beam = beams.get(i);
      int at = i;
      while (at > 0 && isBefore(beam, beams.get(at - 1))) {
        beams.set(at, beams.get(at - 1));
        at--;
      }
      beams.set(at, beam);
    }
  }
}
