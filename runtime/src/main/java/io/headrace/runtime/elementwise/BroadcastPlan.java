package io.headrace.runtime.elementwise;

import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * How operands of some shapes are read to make a result of the shape that they broadcast to.
 * Neighbouring dimensions along which the same operands vary count as one, and those of size 1 as
 * none. Immutable.
 */
public final class BroadcastPlan {
  /** How an operand's elements go with the result's. */
  enum Access {
    /** One by one. */
    FULL,
    /** One element goes with all. */
    SINGLE,
    /** Along some dimensions its elements are repeated. */
    PARTIAL
  }

  private final Shape output;
  private final int elements;

  /** The sizes of the dimensions that are left, outermost first. */
  private final int[] sizes;

  /** For each operand and dimension, whether the operand varies along it. */
  private final boolean[][] varies;

  private final List<Access> access;

  private BroadcastPlan(Shape output, List<Integer> sizes, boolean[][] varies) {
    this.output = output;
    this.elements = output.elements();
    this.sizes = sizes.stream().mapToInt(Integer::intValue).toArray();
    this.varies = varies;
    List<Access> list = new ArrayList<>();
    for (boolean[] operand : varies) {
      list.add(accessOf(operand));
    }
    this.access = List.copyOf(list);
  }

  /** The plan for operands of {@code shapes}. INVALID_ARGUMENT if they do not broadcast. */
  static BroadcastPlan of(List<Shape> shapes) {
    Shape output = shapes.getFirst();
    for (Shape shape : shapes) {
      output = ShapeRules.broadcast(output, shape);
    }
    output.elements();
    List<Integer> sizes = new ArrayList<>();
    List<boolean[]> patterns = new ArrayList<>();
    for (int axis = 0; axis < output.rank(); axis++) {
      if (output.size(axis) != 1) {
        collapse(pattern(shapes, output, axis), (int) output.size(axis), sizes, patterns);
      }
    }
    return new BroadcastPlan(output, sizes, transposed(patterns, shapes.size()));
  }

  /**
   * The plan for operands of {@code shapes} of which some have a row dimension before their own:
   * rows go with rows, and each row broadcasts with each.
   *
   * @param rowsMask bit k: whether operand k has rows
   */
  public static BroadcastPlan ofRows(List<Shape> shapes, long rowsMask) {
    return of(aligned(shapes, rowsMask));
  }

  /** The shapes by which operands of which some have rows broadcast as if none had. */
  static List<Shape> aligned(List<Shape> shapes, long rowsMask) {
    if (rowsMask == 0) {
      return shapes;
    }
    IntPredicate isRows = i -> (rowsMask >>> i & 1) != 0;
    int rank = 0;
    for (int i = 0; i < shapes.size(); i++) {
      rank = Math.max(rank, shapes.get(i).rank() - (isRows.test(i) ? 1 : 0));
    }
    List<Shape> aligned = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      aligned.add(isRows.test(i) ? padded(shapes.get(i), rank) : shapes.get(i));
    }
    return aligned;
  }

  /** Rows of {@code shape} brought to {@code rank}: dimensions of size 1 after the rows'. */
  private static Shape padded(Shape shape, int rank) {
    Shape padded = shape.dropFirst(1);
    while (padded.rank() < rank) {
      padded = padded.prepend(1);
    }
    return padded.prepend(shape.size(0));
  }

  private static boolean[] pattern(List<Shape> shapes, Shape output, int axis) {
    boolean[] pattern = new boolean[shapes.size()];
    for (int i = 0; i < pattern.length; i++) {
      int own = axis - (output.rank() - shapes.get(i).rank());
      pattern[i] = own >= 0 && shapes.get(i).size(own) != 1;
    }
    return pattern;
  }

  private static void collapse(
      boolean[] pattern, int size, List<Integer> sizes, List<boolean[]> patterns) {
    if (!patterns.isEmpty() && Arrays.equals(patterns.getLast(), pattern)) {
      sizes.set(sizes.size() - 1, sizes.getLast() * size);
    } else {
      sizes.add(size);
      patterns.add(pattern);
    }
  }

  private static boolean[][] transposed(List<boolean[]> patterns, int operands) {
    boolean[][] varies = new boolean[operands][patterns.size()];
    for (int dimension = 0; dimension < patterns.size(); dimension++) {
      for (int i = 0; i < operands; i++) {
        varies[i][dimension] = patterns.get(dimension)[i];
      }
    }
    return varies;
  }

  private static Access accessOf(boolean[] varies) {
    boolean all = varies.length > 0;
    boolean any = false;
    for (boolean v : varies) {
      all &= v;
      any |= v;
    }
    if (all) {
      return Access.FULL;
    }
    return any ? Access.PARTIAL : Access.SINGLE;
  }

  /** The shape of the result. */
  public Shape output() {
    return output;
  }

  /** Elements of the result. */
  public int elements() {
    return elements;
  }

  /** How operand {@code index} is read. */
  Access access(int index) {
    return access.get(index);
  }

  boolean hasPartial() {
    return access.contains(Access.PARTIAL);
  }

  /** Number of dimensions. */
  int dimensions() {
    return sizes.length;
  }

  /** The size of {@code dimension}. */
  int size(int dimension) {
    return sizes[dimension];
  }

  /** Elements of the result from {@code dimension} inwards. */
  int inner(int dimension) {
    int product = 1;
    for (int i = dimension; i < sizes.length; i++) {
      product *= sizes[i];
    }
    return product;
  }

  /** Whether {@code operand} varies along {@code dimension}. */
  boolean varies(int operand, int dimension) {
    return varies[operand][dimension];
  }

  /** Elements of {@code operand} from {@code dimension} inwards. */
  int innerOf(int operand, int dimension) {
    int product = 1;
    for (int i = dimension; i < sizes.length; i++) {
      product *= varies[operand][i] ? sizes[i] : 1;
    }
    return product;
  }

  /**
   * The element of {@code operand} for the first of the results whose index over the dimensions
   * outside of {@code dimension} is {@code outer}.
   */
  int offset(int operand, int dimension, int outer) {
    int offset = 0;
    int rest = outer;
    int stride = innerOf(operand, dimension);
    for (int i = dimension - 1; i >= 0; i--) {
      if (varies[operand][i]) {
        offset += rest % sizes[i] * stride;
        stride *= sizes[i];
      }
      rest /= sizes[i];
    }
    return offset;
  }

  /** For each element of the result, the element of {@code operand} that goes with it. */
  public int[] indices(int operand) {
    int[] indices = new int[elements];
    int known = Math.min(1, elements);
    int stride = 1;
    for (int dimension = sizes.length - 1; dimension >= 0; dimension--) {
      int step = varies[operand][dimension] ? stride : 0;
      for (int i = known; i < known * sizes[dimension]; i++) {
        indices[i] = indices[i - known] + step;
      }
      known *= sizes[dimension];
      stride *= varies[operand][dimension] ? sizes[dimension] : 1;
    }
    return indices;
  }
}
