package io.headrace.runtime.op;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * An output that consists of elements of the inputs, and zeros: the copies that make it, in this
 * order. Immutable.
 *
 * @param dtype the dtype of the output, and of the inputs that are copied
 * @param shape its shape, of many rows with the row dimension
 * @param isZeroed whether it is zeros, or empty strings, before the first copy; otherwise the
 *     copies write every element
 */
public record Movement(DataType dtype, Shape shape, boolean isZeroed, List<StridedCopy> copies) {
  /** Copies the list. */
  public Movement {
    copies = List.copyOf(copies);
  }

  /**
   * A copy of a block of elements. Positions, sizes and strides count elements.
   *
   * @param input the input that it reads
   * @param from the position of the block's first element, among those of the input
   * @param to its position in the output
   * @param dimensions the outermost first; none if the block is one element
   */
  public record StridedCopy(int input, int from, int to, List<Dimension> dimensions) {
    /** Copies the list. */
    public StridedCopy {
      dimensions = List.copyOf(dimensions);
    }

    /** The number of elements. */
    public int elements() {
      int elements = 1;
      for (Dimension dimension : dimensions) {
        elements *= dimension.size();
      }
      return elements;
    }

    /** Whether the elements are adjacent in the input and in the output, in one order. */
    public boolean isRun() {
      return dimensions.isEmpty()
          || (dimensions.size() == 1
              && dimensions.getFirst().fromStride() == 1
              && dimensions.getFirst().toStride() == 1);
    }
  }

  /**
   * One dimension of a block.
   *
   * @param size the number of indices, at least 2
   * @param fromStride the distance in the input from one index to the next: 0 to repeat an element,
   *     negative to reverse their order
   * @param toStride the distance in the output
   */
  public record Dimension(int size, int fromStride, int toStride) {}

  /** Collects the dimensions of a copy. Not thread-safe. */
  public static final class CopyBuilder {
    private final int input;
    private final int from;
    private final int to;
    private final List<Dimension> dimensions = new ArrayList<>();
    private boolean isEmpty;

    /** A copy of one element, before dimensions are added; see {@link StridedCopy}. */
    public CopyBuilder(int input, int from, int to) {
      this.input = input;
      this.from = from;
      this.to = to;
    }

    /** Adds an innermost dimension; adjacent dimensions are merged where the strides allow. */
    public CopyBuilder dimension(int size, int fromStride, int toStride) {
      isEmpty |= size == 0;
      if (size <= 1) {
        return this;
      }
      Dimension outer = dimensions.isEmpty() ? null : dimensions.getLast();
      if (outer != null
          && outer.fromStride() == size * fromStride
          && outer.toStride() == size * toStride) {
        dimensions.removeLast();
        dimensions.add(new Dimension(outer.size() * size, fromStride, toStride));
      } else {
        dimensions.add(new Dimension(size, fromStride, toStride));
      }
      return this;
    }

    /** Adds the copy to {@code copies}, unless it has no elements. */
    public void addTo(List<StridedCopy> copies) {
      if (!isEmpty) {
        copies.add(new StridedCopy(input, from, to, dimensions));
      }
    }
  }
}
