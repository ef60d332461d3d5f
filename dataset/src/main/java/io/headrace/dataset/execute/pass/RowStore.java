package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows in numbered slots, stored compactly: a component whose rows share one shape is one array;
 * other rows are tensors that retain no larger array. Not thread-safe.
 */
public final class RowStore {
  private List<Slots> components = List.of();
  private int capacity;

  /** Copies row {@code row} of {@code chunk} to {@code slot}. */
  public void put(int slot, Chunk chunk, int row) {
    if (components.isEmpty() && !chunk.columns().isEmpty()) {
      components = chunk.columns().stream().map(RowStore::slotsFor).toList();
    }
    reserve(slot);
    for (int c = 0; c < components.size(); c++) {
      components.get(c).put(slot, chunk.column(c), row);
    }
  }

  private void reserve(int slot) {
    if (slot >= capacity) {
      capacity = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(slot + 1L, 2L * capacity));
      components.forEach(slots -> slots.grow(capacity));
    }
  }

  /** An empty store for rows moved out of this one; this store must hold a row. */
  public RowStore emptyCopy() {
    RowStore copy = new RowStore();
    copy.components = components.stream().map(Slots::emptyCopy).toList();
    return copy;
  }

  /** The bytes of a row, where all rows share one shape; otherwise a lower bound. */
  public long rowBytes() {
    return Math.max(1, components.stream().mapToLong(Slots::rowBytes).sum());
  }

  /**
   * Moves the row in {@code slot} to the slot {@code to} of {@code target}, an {@link #emptyCopy}.
   */
  public void moveTo(int slot, RowStore target, int to) {
    target.reserve(to);
    for (int c = 0; c < components.size(); c++) {
      components.get(c).moveTo(slot, target.components.get(c), to);
    }
  }

  /** The rows of the first {@code rows} slots; the store is unusable afterwards. */
  public Chunk toChunk(int rows) {
    return Chunk.of(rows, components.stream().map(slots -> slots.toColumn(rows)).toList());
  }

  private static Slots slotsFor(Column column) {
    return column instanceof Column.Stacked stacked
        ? new Slots(column.dtype(), stacked.rowShape())
        : new Slots(column.dtype(), null);
  }

  /**
   * The rows of one component: in `array` while all have the shape `rowShape`, otherwise in `list`.
   */
  private static final class Slots {
    private final DataType dtype;
    private final ElementKind kind;
    private @Nullable Shape rowShape;
    private final int rowElements;
    private int capacity;
    private Object array;
    private @Nullable Tensor[] list = new Tensor[0];

    Slots(DataType dtype, @Nullable Shape rowShape) {
      this.dtype = dtype;
      this.kind = dtype.kind();
      this.rowShape = rowShape;
      this.rowElements = rowShape == null ? 0 : rowShape.elements();
      this.array = kind.newArray(0);
    }

    Slots emptyCopy() {
      return new Slots(dtype, rowShape);
    }

    long rowBytes() {
      return (long) rowElements * Math.max(1, kind.elementBytes());
    }

    void grow(int newCapacity) {
      capacity = newCapacity;
      if (rowShape == null) {
        list = Arrays.copyOf(list, capacity);
      } else {
        Object grown = kind.newArray(Math.multiplyExact(capacity, rowElements));
        kind.copy(array, 0, grown, 0, kind.capacity(array));
        array = grown;
      }
    }

    void put(int slot, Column column, int row) {
      if (rowShape != null
          && column instanceof Column.Stacked stacked
          && stacked.rowShape().equals(rowShape)) {
        Tensor tensor = stacked.tensor();
        copyIn(TensorMemory.array(tensor), TensorMemory.offset(tensor) + row * rowElements, slot);
        return;
      }
      putTensor(slot, column.row(row));
    }

    private void putTensor(int slot, Tensor row) {
      if (rowShape != null && row.shape().equals(rowShape)) {
        copyIn(TensorMemory.array(row), TensorMemory.offset(row), slot);
        return;
      }
      toList();
      list[slot] = row.detach();
    }

    private void copyIn(Object from, int element, int slot) {
      kind.copy(from, element, array, slot * rowElements, rowElements);
    }

    /** Switches to one tensor per row, after the first row of another shape. */
    private void toList() {
      Shape shape = rowShape;
      if (shape == null) {
        return;
      }
      list = Arrays.copyOf(list, capacity);
      for (int slot = 0; slot < capacity; slot++) {
        list[slot] = Tensor.view(dtype, shape, array, slot * rowElements).detach();
      }
      rowShape = null;
      array = kind.newArray(0);
    }

    void moveTo(int slot, Slots target, int to) {
      Shape shape = rowShape;
      if (shape == null) {
        Tensor row = list[slot];
        list[slot] = null;
        if (row != null) {
          target.putTensor(to, row);
        }
        return;
      }
      target.putTensor(to, Tensor.view(dtype, shape, array, slot * rowElements));
      if (!kind.isFixedWidth()) {
        Arrays.fill((Object[]) array, slot * rowElements, (slot + 1) * rowElements, null);
      }
    }

    Column toColumn(int rows) {
      Shape shape = rowShape;
      if (shape != null) {
        return new Column.Stacked(Tensor.wrap(dtype, shape.prepend(rows), array));
      }
      List<Tensor> rowsInOrder = new ArrayList<>(rows);
      for (int i = 0; i < rows; i++) {
        Tensor row = list[i];
        if (row == null) {
          throw new IllegalStateException("slot " + i + " is empty");
        }
        rowsInOrder.add(row);
      }
      return new Column.Listed(dtype, rowsInOrder);
    }
  }
}
