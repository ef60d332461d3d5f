package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * MatrixSetDiag and the ops MatrixDiag, MatrixDiagPart and MatrixSetDiag in versions V2 and V3:
 * bands of diagonals of matrices.
 */
final class MatrixDiagV3Ops {
  private static final String ALIGN = "align: string = 'RIGHT_LEFT'";

  private MatrixDiagV3Ops() {}

  static List<Op> ops() {
    return Stream.of(version("V2"), version("V3"), List.of(setMainDiagonal()))
        .flatMap(List::stream)
        .toList();
  }

  /** The ops whose names end in {@code version}: only those of V3 have an alignment. */
  private static List<Op> version(String version) {
    String[] attrs =
        version.equals("V3")
            ? new String[] {"T: fixedwidth", ALIGN}
            : new String[] {"T: fixedwidth"};
    return List.of(
        Op.define(
                "MatrixDiag"
                    + version
                    + "(diagonal: T, k: int32, num_rows: int32, num_cols: int32,"
                    + " padding_value: T) -> output: T")
            .attrs(attrs)
            .shape(MatrixDiagV3Ops::diagRule)
            .kernel(
                RowKernel.made(node -> {
                  DiagonalBand.Alignment alignment = alignment(node);
                  return rows -> diag(rows, alignment);
                })),
        Op.define(
                "MatrixDiagPart"
                    + version
                    + "(input: T, k: int32, padding_value: T) -> diagonal: T")
            .attrs(attrs)
            .shape(MatrixDiagV3Ops::partRule)
            .kernel(
                RowKernel.made(node -> {
                  DiagonalBand.Alignment alignment = alignment(node);
                  return rows -> part(rows, alignment);
                })),
        Op.define("MatrixSetDiag" + version + "(input: T, diagonal: T, k: int32) -> output: T")
            .attrs(attrs)
            .shape(MatrixDiagV3Ops::setRule)
            .kernel(
                RowKernel.made(node -> {
                  DiagonalBand.Alignment alignment = alignment(node);
                  return rows -> set(rows, rows.same(2), alignment);
                })));
  }

  private static Op setMainDiagonal() {
    Tensor main = Tensor.scalar(0);
    return Op.define("MatrixSetDiag(input: T, diagonal: T) -> output: T")
        .attrs("T: fixedwidth")
        .shape(in -> setRule(in, main))
        .kernel(RowKernel.of(rows -> set(rows, main, DiagonalBand.Alignment.of("LEFT_LEFT"))));
  }

  private static DiagonalBand.Alignment alignment(NodeSpec node) {
    return DiagonalBand.Alignment.of(
        node.attrs().has("align") ? node.attrs().string("align") : "LEFT_LEFT");
  }

  // MatrixDiagV3

  private static List<Shape> diagRule(ShapeFunction.Inputs in) {
    Shape diagonal = in.shape(0);
    Shapes.checkRankAtLeast(diagonal, 1);
    Shapes.checkRankAtMost(in.shape(1), 1);
    for (int i = 2; i <= 4; i++) {
      Shapes.withRank(in.shape(i), 0);
    }
    Tensor k = in.constant(1);
    if (diagonal.isUnknownRank() || k == null) {
      return List.of(Shape.UNKNOWN);
    }
    Band band = Band.of(k);
    int outer = diagonal.rank() - (band.isOne() ? 1 : 2);
    if (outer < 0 || diagonal.size(diagonal.rank() - 1) < 0) {
      return List.of(Shape.UNKNOWN);
    }
    long height = Shapes.constantScalar(in, 2).orElse(-1);
    long width = Shapes.constantScalar(in, 3).orElse(-1);
    Shape matrix = band.matrix(diagonal.size(diagonal.rank() - 1), height, width);
    return List.of(Shapes.concat(diagonal.sub(0, outer), matrix));
  }

  private static boolean diag(Rows rows, DiagonalBand.Alignment alignment) {
    Tensor k = rows.same(1);
    Tensor height = rows.same(2);
    Tensor width = rows.same(3);
    Tensor padding = rows.same(4);
    if (k == null || height == null || width == null || padding == null) {
      return false;
    }
    Band band = Band.of(k);
    Shape shape = rows.shape(0);
    if (shape.rank() < 1) {
      throw invalidArgument("diagonal must be at least 1-dim, received shape: %s", shape);
    }
    if (!band.isOne() && (shape.rank() < 2 || shape.size(shape.rank() - 2) != band.count())) {
      throw invalidArgument(
          "The number of diagonals provided in the input does not match the lower_diag_index and"
              + " upper_diag_index range.");
    }
    Shape matrix =
        band.matrix(
            shape.size(shape.rank() - 1),
            scalar("num_rows", height).integer(0),
            scalar("num_cols", width).integer(0));
    Shape outer = shape.sub(0, shape.rank() - (band.isOne() ? 1 : 2));
    Shape result = Shapes.concat(outer, matrix);
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    ElementKind kind = input.dtype().kind();
    fill(kind, array, scalar("padding_value", padding));
    diagonals(rows, outer, band, matrix, alignment)
        .put(kind, input, rows.stride(0), array, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static Tensor scalar(String name, Tensor value) {
    if (value.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar, received shape: %s", name, value.shape());
    }
    return value;
  }

  /** A value of one element and any rank, as stock takes it for the parts of matrices. */
  private static Tensor single(String name, Tensor value) {
    return value.elements() == 1 ? value : scalar(name, value);
  }

  /** Sets every element of {@code array} to {@code value}. */
  private static void fill(ElementKind kind, Object array, Tensor value) {
    int size = kind.capacity(array);
    if (size == 0) {
      return;
    }
    kind.copy(TensorMemory.array(value), TensorMemory.offset(value), array, 0, 1);
    for (int done = 1; done < size; done *= 2) {
      kind.copy(array, 0, array, done, Math.min(done, size - done));
    }
  }

  private static DiagonalBand diagonals(
      Rows rows, Shape outer, Band band, Shape matrix, DiagonalBand.Alignment alignment) {
    return new DiagonalBand(
        rows.count(),
        outer.elements(),
        (int) matrix.size(0),
        (int) matrix.size(1),
        (int) band.lower(),
        (int) band.upper(),
        alignment);
  }

  // MatrixDiagPartV3

  private static List<Shape> partRule(ShapeFunction.Inputs in) {
    Shape input = in.shape(0);
    Shapes.checkRankAtLeast(input, 2);
    Shapes.checkRankAtMost(in.shape(1), 1);
    Shapes.withRank(in.shape(2), 0);
    Tensor k = in.constant(1);
    if (input.isUnknownRank() || k == null) {
      return List.of(Shape.UNKNOWN);
    }
    Shape matrix = input.sub(input.rank() - 2, input.rank());
    Band band = Band.of(k);
    Shape lines = matrix.isKnown() ? band.within(matrix) : band.ofLength(Shape.UNKNOWN_DIMENSION);
    return List.of(Shapes.concat(input.sub(0, input.rank() - 2), lines));
  }

  private static boolean part(Rows rows, DiagonalBand.Alignment alignment) {
    Tensor k = rows.same(1);
    Tensor padding = rows.same(2);
    if (k == null || padding == null) {
      return false;
    }
    Band band = Band.of(k);
    Shape shape = checkMatrix(rows.shape(0));
    Shape outer = shape.sub(0, shape.rank() - 2);
    Shape matrix = shape.sub(shape.rank() - 2, shape.rank());
    Shape result = Shapes.concat(outer, band.within(matrix));
    Tensor input = rows.all(0);
    Object array = rows.allocate(input.dtype(), result);
    ElementKind kind = input.dtype().kind();
    fill(kind, array, single("padding_value", padding));
    diagonals(rows, outer, band, matrix, alignment)
        .take(kind, input, rows.stride(0), array, rows.cancellation());
    rows.set(0, input.dtype(), result, array);
    return true;
  }

  private static Shape checkMatrix(Shape shape) {
    if (shape.rank() < 2) {
      throw invalidArgument("input must be at least 2-dim, received shape: %s", shape);
    }
    return shape;
  }

  // MatrixSetDiagV3

  private static List<Shape> setRule(ShapeFunction.Inputs in) {
    Shapes.checkRankAtMost(in.shape(2), 1);
    return setRule(in, in.constant(2));
  }

  private static List<Shape> setRule(ShapeFunction.Inputs in, @Nullable Tensor k) {
    Shape input = in.shape(0);
    Shape diagonal = in.shape(1);
    Shapes.checkRankAtLeast(input, 2);
    Shapes.checkRankAtLeast(diagonal, 1);
    Band band = k == null ? new Band(0, 0) : Band.of(k);
    if (!input.isUnknownRank() && k != null) {
      Shapes.withRank(diagonal, input.rank() - (band.isOne() ? 1 : 0));
      Shape matrix = input.sub(input.rank() - 2, input.rank());
      if (matrix.isKnown()) {
        band.within(matrix);
      }
    }
    if (diagonal.isUnknownRank() || input.isKnown()) {
      return List.of(input);
    }
    int outer = diagonal.rank() - (band.isOne() ? 1 : 2);
    Shape known = Shapes.concat(diagonal.sub(0, Math.max(0, outer)), Shapes.ofRank(2));
    return List.of(Shapes.merge(input, known));
  }

  private static boolean set(Rows rows, @Nullable Tensor k, DiagonalBand.Alignment alignment) {
    if (k == null) {
      return false;
    }
    Band band = Band.of(k);
    Shape shape = checkMatrix(rows.shape(0));
    Shape given = rows.shape(1);
    if (given.rank() < 1) {
      throw invalidArgument("diagonal must be at least 1-dim, received shape: %s", given);
    }
    Shape outer = shape.sub(0, shape.rank() - 2);
    Shape matrix = shape.sub(shape.rank() - 2, shape.rank());
    Shape expected = Shapes.concat(outer, band.within(matrix));
    if (!band.isOne()
        && (given.rank() < shape.rank() - 1 || given.size(shape.rank() - 2) != band.count())) {
      throw invalidArgument(
          "The number of diagonals provided in `diag` is not consistent with `lower_diag_index`"
              + " and `upper_diag_index`");
    }
    if (!given.equals(expected)) {
      throw invalidArgument(
          "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1]"
              + " is not equal to the longests diagonal in range"
              + " [lower_diag_index:upper_diag_index].\n"
              + "Input shape: %s\n"
              + "Diagonal shape: %s\n"
              + "Expected diagonal shape: %s",
          shape, given, expected);
    }
    ElementKind kind = rows.dtype(0).kind();
    Object array = rows.allocate(rows.dtype(0), shape);
    int elements = shape.elements();
    for (int row = 0; row < rows.count(); row++) {
      Tensor input = rows.row(0, row);
      kind.copy(
          TensorMemory.array(input), TensorMemory.offset(input), array, row * elements, elements);
    }
    diagonals(rows, outer, band, matrix, alignment)
        .put(kind, rows.all(1), rows.stride(1), array, rows.cancellation());
    rows.set(0, rows.dtype(0), shape, array);
    return true;
  }

  /**
   * The diagonals from {@code lower} to {@code upper}: 0 is the main one, superdiagonals positive.
   */
  private record Band(long lower, long upper) {
    /** Reads input k: one diagonal, or the lowest and the uppermost. */
    static Band of(Tensor k) {
      if (k.shape().rank() > 1) {
        throw invalidArgument(
            "diag_index must be a scalar or vector, received shape: %s", k.shape());
      }
      if (k.elements() < 1 || k.elements() > 2) {
        throw invalidArgument(
            "diag_index must have only one or two elements, received %d elements.", k.elements());
      }
      Band band = new Band(k.integer(0), k.integer(k.elements() - 1));
      if (band.lower > band.upper) {
        throw invalidArgument(
            "lower_diag_index must not be larger than upper_diag_index: %d > %d",
            band.lower, band.upper);
      }
      return band;
    }

    boolean isOne() {
      return lower == upper;
    }

    long count() {
      return upper - lower + 1;
    }

    /** The shape of the packed diagonals, each padded to {@code length}. */
    Shape ofLength(long length) {
      return isOne() ? Shape.of(length) : Shape.of(count(), length);
    }

    /** The shape of the packed diagonals of a matrix; INVALID_ARGUMENT if it lacks one of them. */
    Shape within(Shape matrix) {
      long height = matrix.size(0);
      long width = matrix.size(1);
      check("lower_diag_index", lower, height, width);
      check("upper_diag_index", upper, height, width);
      return ofLength(Math.min(height + Math.min(upper, 0), width - Math.max(lower, 0)));
    }

    private static void check(String name, long index, long height, long width) {
      // An empty matrix has diagonal 0, too.
      if (index != 0 && (index <= -height || index >= width)) {
        throw invalidArgument(
            "%s is out of bound: %d It must be between %d and %d", name, index, -height, width);
      }
    }

    /**
     * The shape of a matrix whose longest diagonal of the band has {@code length} elements; square
     * if neither its height nor its width is given.
     *
     * @param height its number of rows, or -1 for the least possible
     * @param width its number of columns, or -1 for the least possible
     */
    Shape matrix(long length, long height, long width) {
      long leastHeight = length - Math.min(upper, 0);
      long leastWidth = length + Math.max(lower, 0);
      if (height != -1 && height < leastHeight) {
        throw invalidArgument("The number of rows is too small.");
      }
      if (width != -1 && width < leastWidth) {
        throw invalidArgument("The number of columns is too small.");
      }
      if (height == -1 && width == -1) {
        long size = Math.max(leastHeight, leastWidth);
        return Shape.of(size, size);
      }
      long rows = height == -1 ? leastHeight : height;
      long columns = width == -1 ? leastWidth : width;
      if (rows != leastHeight && columns != leastWidth) {
        throw invalidArgument(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper,"
                + " and diagonal.");
      }
      return Shape.of(rows, columns);
    }
  }
}
