package io.headrace.kernels.variant;

import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A persistent vector of tensors, each set or unset. A changed vector shares all nodes but one path
 * with its predecessor. Immutable.
 */
final class TensorVector {
  /*
   * A trie of nodes with 32 slots. The lowest 5 bits of an index select the slot in a leaf, the
   * next 5 bits the slot in the leaf's parent, and so on. Subtrees without set elements are null,
   * so that unset elements need no memory. Slots beyond the size are null.
   */

  private static final int BITS = 5;
  private static final int SLOTS = 1 << BITS;
  private static final int MASK = SLOTS - 1;

  static final TensorVector EMPTY = new TensorVector(0, 0, null);

  /** Receives each set element. */
  @FunctionalInterface
  interface Visitor {
    void visit(int index, Tensor tensor);
  }

  private final int size;
  private final int shift;
  private final @Nullable Object @Nullable [] root;

  private TensorVector(int size, int shift, @Nullable Object @Nullable [] root) {
    this.size = size;
    this.shift = shift;
    this.root = root;
  }

  /** A vector of {@code tensors}, all set. */
  static TensorVector of(List<Tensor> tensors) {
    if (tensors.isEmpty()) {
      return EMPTY;
    }
    int shift = shiftFor(tensors.size());
    return new TensorVector(tensors.size(), shift, filled(tensors, 0, shift));
  }

  private static @Nullable Object[] filled(List<Tensor> tensors, int from, int level) {
    @Nullable Object[] node = new Object[SLOTS];
    for (int slot = 0; slot < SLOTS; slot++) {
      long first = from + ((long) slot << level);
      if (first >= tensors.size()) {
        break;
      }
      node[slot] =
          level == 0 ? tensors.get((int) first) : filled(tensors, (int) first, level - BITS);
    }
    return node;
  }

  private static int shiftFor(int size) {
    int shift = 0;
    while ((size - 1L) >> shift >= SLOTS) {
      shift += BITS;
    }
    return shift;
  }

  int size() {
    return size;
  }

  /** Element {@code index}, which must be less than the size; null if unset. */
  @Nullable Tensor get(int index) {
    @Nullable Object @Nullable [] node = root;
    for (int level = shift; level > 0 && node != null; level -= BITS) {
      node = child(node, slot(index, level));
    }
    return node == null ? null : (Tensor) node[index & MASK];
  }

  /** A copy with element {@code index}, which must be less than the size, set to {@code tensor}. */
  TensorVector with(int index, Tensor tensor) {
    return new TensorVector(size, shift, with(root, shift, index, tensor));
  }

  private static @Nullable Object[] with(
      @Nullable Object @Nullable [] node, int level, int index, Tensor tensor) {
    @Nullable Object[] changed = node == null ? new Object[SLOTS] : node.clone();
    int slot = slot(index, level);
    changed[slot] = level == 0 ? tensor : with(child(changed, slot), level - BITS, index, tensor);
    return changed;
  }

  /** A copy with {@code newSize} elements: truncated, or extended by unset elements. */
  TensorVector resized(int newSize) {
    if (newSize <= size) {
      return newSize == size ? this : new TensorVector(newSize, shift, cut(root, shift, newSize));
    }
    int newShift = Math.max(shift, shiftFor(newSize));
    @Nullable Object @Nullable [] newRoot = root;
    for (int level = shift; level < newShift && newRoot != null; level += BITS) {
      @Nullable Object[] above = new Object[SLOTS];
      above[0] = newRoot;
      newRoot = above;
    }
    return new TensorVector(newSize, newShift, newRoot);
  }

  /** A copy of a subtree truncated to its first {@code size} elements. */
  private static @Nullable Object @Nullable [] cut(
      @Nullable Object @Nullable [] node, int level, int size) {
    if (node == null || size <= 0) {
      return null;
    }
    @Nullable Object[] changed = new Object[SLOTS];
    int whole = size >> level;
    System.arraycopy(node, 0, changed, 0, Math.min(whole, SLOTS));
    if (level > 0 && whole < SLOTS) {
      changed[whole] = cut(child(node, whole), level - BITS, size - (whole << level));
    }
    return changed;
  }

  /** Visits the set elements in order. */
  void forEachSet(Visitor visitor) {
    visit(root, shift, 0, visitor);
  }

  private static void visit(
      @Nullable Object @Nullable [] node, int level, int first, Visitor visitor) {
    if (node == null) {
      return;
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      int index = first + (slot << level);
      if (level > 0) {
        visit(child(node, slot), level - BITS, index, visitor);
      } else if (node[slot] instanceof Tensor tensor) {
        visitor.visit(index, tensor);
      }
    }
  }

  private static int slot(int index, int level) {
    return (index >>> level) & MASK;
  }

  private static @Nullable Object @Nullable [] child(@Nullable Object[] node, int slot) {
    return (@Nullable Object[]) node[slot];
  }
}
