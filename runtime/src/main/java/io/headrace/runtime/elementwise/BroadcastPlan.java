package io.headrace.runtime.elementwise;

import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The access pattern of operands that broadcast: along which dimensions of the result each operand
 * varies, and along which it is repeated. Adjacent dimensions along which the same operands vary
 * are collapsed into one; dimensions of size 1 are dropped. Immutable.
 */
public final class BroadcastPlan {
  /** How an operand's elements correspond to the result's. */
  public enum Access {
    /** One to one. */
    FULL,
    /** One element for all results. */
    SINGLE,
    /** Elements are repeated along some dimensions. */
    PARTIAL
  }

  private final Shape output;
  private final int elements;

  /** The sizes of the collapsed dimensions, outermost first. */
  private final int[] sizes;

  /** For each operand and dimension, whether the operand varies along it. */
  private final boolean[][] varies;

  /** For each dimension, and one more: elements of the result from there inwards. */
  private final int[] inner;

  /** For each operand, and each dimension and one more: its elements from there inwards. */
  private final int[][] innerOf;

  private final List<Access> access;

  private BroadcastPlan(Shape output, List<Integer> sizes, boolean[][] varies) {
    this.output = output;
    this.elements = output.elements();
    this.sizes = sizes.stream().mapToInt(Integer::intValue).toArray();
    this.varies = varies;
    this.inner = inner(this.sizes, null);
    this.innerOf = new int[varies.length][];
    for (int i = 0; i < varies.length; i++) {
      innerOf[i] = inner(this.sizes, varies[i]);
    }
    List<Access> list = new ArrayList<>();
    for (boolean[] operand : varies) {
      list.add(accessOf(operand));
    }
    this.access = List.copyOf(list);
  }

  /** The plan for operands of {@code shapes}. INVALID_ARGUMENT if they do not broadcast. */
  public static BroadcastPlan of(List<Shape> shapes) {
    Shape output = shapes.getFirst();
    for (Shape shape : shapes) {
      output = ShapeFunctions.broadcast(output, shape);
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
   * The plan for operands with and without a leading row dimension. Rows correspond to rows; within
   * a row, the operands broadcast. Operands without rows are shared by all rows.
   *
   * @param rowsMask bit k is set if operand k has a row dimension
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if the shapes do not
   *     broadcast
   */
  public static BroadcastPlan ofRows(List<Shape> shapes, long rowsMask) {
    return of(aligned(shapes, rowsMask));
  }

  /**
   * The shapes, padded with dimensions of size 1 so that plain broadcasting aligns the row
   * dimensions.
   */
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

  /** {@code shape} with dimensions of size 1 after its row dimension, for rows of {@code rank}. */
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

  /** The products of the sizes along which an operand varies, from each dimension inwards. */
  private static int[] inner(int[] sizes, boolean @Nullable [] varies) {
    int[] inner = new int[sizes.length + 1];
    inner[sizes.length] = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      inner[i] = varies == null || varies[i] ? inner[i + 1] * sizes[i] : inner[i + 1];
    }
    return inner;
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

  /** The access pattern of operand {@code index}. */
  public Access access(int index) {
    return access.get(index);
  }

  boolean hasPartial() {
    return access.contains(Access.PARTIAL);
  }

  /** Number of collapsed dimensions. */
  public int dimensions() {
    return sizes.length;
  }

  /** The size of {@code dimension}. */
  public int size(int dimension) {
    return sizes[dimension];
  }

  /** Elements of the result from {@code dimension} inwards. */
  int inner(int dimension) {
    return inner[dimension];
  }

  /** Whether {@code operand} varies along {@code dimension}. */
  public boolean varies(int operand, int dimension) {
    return varies[operand][dimension];
  }

  /** Elements of {@code operand} from {@code dimension} inwards. */
  public int innerOf(int operand, int dimension) {
    return innerOf[operand][dimension];
  }

  /**
   * The first element of {@code operand} for the results at linear index {@code outer} of the
   * dimensions before {@code dimension}.
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

  /** For each element of the result, the corresponding element of {@code operand}. */
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
