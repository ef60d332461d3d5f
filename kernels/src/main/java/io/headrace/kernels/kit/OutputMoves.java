package io.headrace.kernels.kit;

import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Movement.CopyBuilder;
import io.headrace.runtime.op.Movement.StridedCopy;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Collects the copies that make one output, each the same in every row. Not thread-safe. */
public final class OutputMoves {
  private final Rows rows;
  private final DataType dtype;
  private final Shape rowShape;
  private final int rowElements;
  private final List<StridedCopy> copies = new ArrayList<>();
  private boolean isZeroed;

  /** An output of {@code dtype} whose rows have {@code rowShape}. */
  public OutputMoves(Rows rows, DataType dtype, Shape rowShape) {
    this.rows = rows;
    this.dtype = dtype;
    this.rowShape = rowShape;
    this.rowElements = rowShape.elements();
  }

  /** Lets what no copy writes be zeros, or empty strings. */
  public OutputMoves zeroed() {
    isZeroed = true;
    return this;
  }

  /**
   * Adds a copy.
   *
   * @param from the first element that it reads, in the input's first row
   * @param to the element of the output's first row where that goes
   * @param dimensions adds the dimensions of the copy in one row
   */
  public OutputMoves copy(int input, int from, int to, Consumer<CopyBuilder> dimensions) {
    CopyBuilder copy = new CopyBuilder(input, from, to);
    copy.dimension(rows.count(), rows.stride(input), rowElements);
    dimensions.accept(copy);
    copy.addTo(copies);
    return this;
  }

  /** Adds a copy within one row. */
  public OutputMoves copyRow(
      int row, int input, int from, int to, Consumer<CopyBuilder> dimensions) {
    CopyBuilder copy =
        new CopyBuilder(input, row * rows.stride(input) + from, row * rowElements + to);
    dimensions.accept(copy);
    copy.addTo(copies);
    return this;
  }

  /** Adds a copy of the scalar input {@code input} to every element. */
  public OutputMoves fill(int input) {
    return copy(input, 0, 0, copy -> copy.dimension(rowElements, 0, 1));
  }

  /** Adds a copy of the whole input {@code input}, which has the output's number of elements. */
  public OutputMoves all(int input) {
    return copy(input, 0, 0, copy -> copy.dimension(rowElements, 1, 1));
  }

  /** The output. */
  public Movement movement() {
    return new Movement(dtype, rows.withRows(rowShape), isZeroed, copies);
  }

  /** The output of an op with one. */
  public List<Movement> only() {
    return List.of(movement());
  }
}
