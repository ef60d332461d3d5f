package io.headrace.runtime.tensor;

import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/** One component of the rows of a {@link Chunk}. Immutable. */
public sealed interface Column {
  /** Rows of one shape, contiguous in one array. */
  record Stacked(Tensor tensor) implements Column {
    /** A column of the slices of {@code tensor}'s first dimension. */
    public Stacked {
      if (tensor.shape().rank() < 1) {
        throw new IllegalArgumentException(
            "a stacked column needs a row dimension, and is a scalar");
      }
    }

    /** The shape of each row. */
    public Shape rowShape() {
      return tensor.shape().dropFirst(1);
    }

    @Override
    public DataType dtype() {
      return tensor.dtype();
    }

    @Override
    public int rows() {
      return (int) tensor.shape().size(0);
    }

    @Override
    public Tensor row(int index) {
      return tensor.row(index);
    }

    @Override
    public Stacked slice(int from, int to) {
      return from == 0 && to == rows() ? this : new Stacked(tensor.rows(from, to));
    }

    @Override
    public long byteSize() {
      return tensor.byteSize();
    }
  }

  /** Rows that are separate tensors: ragged sizes, large rows, variants. */
  record Listed(DataType dtype, List<Tensor> tensors) implements Column {
    /** A column of {@code tensors}, all of dtype {@code dtype}. */
    public Listed {
      tensors = List.copyOf(tensors);
    }

    @Override
    public int rows() {
      return tensors.size();
    }

    @Override
    public Tensor row(int index) {
      return tensors.get(index);
    }

    @Override
    public Listed slice(int from, int to) {
      return from == 0 && to == rows() ? this : new Listed(dtype, tensors.subList(from, to));
    }

    @Override
    public long byteSize() {
      long total = 0;
      for (Tensor tensor : tensors) {
        total += tensor.byteSize();
      }
      return total;
    }
  }

  /** The dtype of every row. */
  DataType dtype();

  /** Number of rows. */
  int rows();

  /** Row {@code index}, as a view. */
  Tensor row(int index);

  /** The rows {@code from} up to {@code to}, as a view. */
  Column slice(int from, int to);

  /** The size of the rows in bytes, as {@link Tensor#byteSize}. */
  long byteSize();

  /** A column of one row. */
  static Column ofRow(Tensor row) {
    return !(row.storage() instanceof Storage.OnDevice) && row.dtype() != DataType.VARIANT
        ? new Stacked(row.reshape(row.shape().prepend(1)))
        : new Listed(row.dtype(), List.of(row));
  }

  /**
   * The rows of {@code column} in one array. INVALID_ARGUMENT naming both shapes if two rows differ
   * in shape. Copies unless the column is already stacked.
   */
  static Stacked stack(Column column) {
    return switch (column) {
      case Stacked stacked -> stacked;
      case Listed listed -> new Stacked(stackRows(listed.tensors()));
    };
  }

  /** Stacks tensors of one dtype and shape along a new first dimension. */
  static Tensor stackRows(List<Tensor> rows) {
    Tensor first = rows.getFirst();
    for (Tensor row : rows) {
      if (!row.shape().equals(first.shape())) {
        throw StatusException.invalidArgument(
            "Cannot batch tensors with different shapes in component 0. First element had shape %s"
                + " and element %d had shape %s.",
            first.shape(), rows.indexOf(row), row.shape());
      }
    }
    return Tensor.join(first.dtype(), first.shape().prepend(rows.size()), rows);
  }

  /** Whether all columns are stacked with one row shape, so that they can be one column. */
  private static boolean stackTogether(List<Column> columns) {
    if (!(columns.getFirst() instanceof Stacked first)) {
      return false;
    }
    Shape shape = first.rowShape();
    return columns.stream().allMatch(c -> c instanceof Stacked s && s.rowShape().equals(shape));
  }

  /** Concatenates {@code columns}, at least one: stacked if all are stacked with one row shape. */
  static Column concat(List<Column> columns) {
    if (columns.size() == 1) {
      return columns.getFirst();
    }
    if (!stackTogether(columns)) {
      List<Tensor> rows = new ArrayList<>();
      for (Column column : columns) {
        for (int i = 0; i < column.rows(); i++) {
          rows.add(column.row(i));
        }
      }
      return new Listed(columns.getFirst().dtype(), rows);
    }
    return concatStacked(columns);
  }

  private static Column concatStacked(List<Column> columns) {
    Stacked first = (Stacked) columns.getFirst();
    int rows = columns.stream().mapToInt(Column::rows).sum();
    List<Tensor> parts = columns.stream().map(column -> ((Stacked) column).tensor()).toList();
    return new Stacked(Tensor.join(first.dtype(), first.rowShape().prepend(rows), parts));
  }

  /** Gathers the rows at the first {@code count} of {@code indices}, in that order. */
  default Column gather(int[] indices, int count) {
    return switch (this) {
      case Listed listed -> {
        List<Tensor> picked = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          picked.add(listed.tensors().get(indices[i]));
        }
        yield new Listed(listed.dtype(), picked);
      }
      case Stacked stacked -> {
        Tensor tensor = stacked.tensor();
        Shape rowShape = stacked.rowShape();
        int rowElements = rowShape.elements();
        ElementKind kind = tensor.dtype().kind();
        Object array = kind.newArray(Math.multiplyExact(rowElements, count));
        for (int i = 0; i < count; i++) {
          kind.copy(
              tensor.array(),
              tensor.offset() + indices[i] * rowElements,
              array,
              i * rowElements,
              rowElements);
        }
        yield new Stacked(Tensor.wrap(tensor.dtype(), rowShape.prepend(count), array));
      }
    };
  }
}
