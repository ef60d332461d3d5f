package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.CublasType;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * MatMul, BatchMatMul, BatchMatMulV2 and BatchMatMulV3: products of matrices; and that of
 * _FusedMatMul.
 *
 * @param isX whether the matrices on the left are transposed
 * @param isY whether those on the right are
 * @param batches how the dimensions before those of matrices correspond
 * @param result the dtype of the product
 * @param minTiles where large tiles are fewer, small ones are taken
 * @param minWork where a call has fewer multiplications, NVIDIA's library is not asked
 */
record MatMulKernel(
    boolean isX, boolean isY, Batches batches, DataType result, int minTiles, long minWork)
    implements WrittenKernel {
  /** The most dimensions of a batch. */
  private static final int MAX_RANK = 4;

  /** The edge of a tile of few elements. */
  private static final int SMALL_TILE = 16;

  /** The edge of a tile of many, which are read more seldom. */
  private static final int TILE = 64;

  /** The blocks that keep a device busy. */
  private static final int BUSY_BLOCKS = 64;

  /** The multiplications from which it pays to ask a library: those of matrices of 64 x 64. */
  private static final long LIBRARY_WORK = 1 << 18;

  /** The dimensions before those of matrices. */
  enum Batches {
    NONE,
    EQUAL,
    BROADCAST
  }

  /**
   * The products of one call.
   *
   * @param plan how the matrices on both sides correspond
   * @param rows those of a product
   * @param columns those of a product
   * @param terms those of an element
   */
  private record Layout(BroadcastPlan plan, int rows, int columns, int terms) {
    Shape shape() {
      List<Long> sizes = new ArrayList<>();
      for (long size : plan.output().dimensions()) {
        sizes.add(size);
      }
      sizes.add((long) rows);
      sizes.add((long) columns);
      return Shape.of(sizes.stream().mapToLong(Long::longValue).toArray());
    }

    /** The multiplications of all products together. */
    double work() {
      return (double) plan.elements() * rows * columns * terms;
    }

    /** The number of square tiles. */
    long tiles(int edge) {
      return (long) plan.elements() * ((rows + edge - 1) / edge) * ((columns + edge - 1) / edge);
    }
  }

  static MatMulKernel of(NodeSpec node) {
    boolean isPlain = node.op().name().endsWith("MatMul") && !node.op().name().startsWith("Batch");
    Batches batches =
        switch (node.op().name()) {
          case "MatMul", "_FusedMatMul" -> Batches.NONE;
          case "BatchMatMul" -> Batches.EQUAL;
          default -> Batches.BROADCAST;
        };
    return new MatMulKernel(
        node.attrs().bool(isPlain ? "transpose_a" : "adj_x"),
        node.attrs().bool(isPlain ? "transpose_b" : "adj_y"),
        batches,
        node.outputTypes().getFirst(),
        BUSY_BLOCKS,
        LIBRARY_WORK);
  }

  /** The same with large tiles for all. */
  MatMulKernel ofLargeTiles() {
    return new MatMulKernel(isX, isY, batches, result, 0, minWork);
  }

  /** The same where the library is asked for products of any size. */
  MatMulKernel ofAnyWork() {
    return new MatMulKernel(isX, isY, batches, result, minTiles, 0);
  }

  @Override
  public boolean run(GpuCall call) {
    Layout layout =
        isExact(call.tensor(0).dtype()) && isExact(call.tensor(1).dtype()) ? layout(call) : null;
    if (layout == null
        || layout.plan.dimensions() > MAX_RANK
        || (call.isMany() && !call.varies(0) && !call.varies(1))
        || call.tensor(0).elements() == 0
        || call.tensor(1).elements() == 0) {
      return false;
    }
    launch(call, layout, call.output(0, result, layout.shape()));
    return true;
  }

  /**
   * The product in a buffer until the call is closed, and its shape; nothing if this kernel does
   * not make it. Of one row.
   */
  Optional<Product> product(GpuCall call) {
    Layout layout =
        isExact(call.tensor(0).dtype()) && isExact(call.tensor(1).dtype()) ? layout(call) : null;
    if (layout == null
        || call.isMany()
        || call.tensor(0).elements() == 0
        || call.tensor(1).elements() == 0) {
      return Optional.empty();
    }
    DeviceBuffer output = call.scratch((long) layout.shape().elements() * result.byteSize());
    launch(call, layout, output);
    return Optional.of(new Product(output, layout.shape()));
  }

  /** A product on the device, which its call holds. */
  record Product(DeviceBuffer buffer, Shape shape) {}

  /** Whether elements of {@code dtype} are numbers of the result's dtype, as they are. */
  private boolean isExact(DataType dtype) {
    boolean isByte = dtype == DataType.UINT8 || dtype == DataType.INT8;
    return dtype == result || (isByte && result != DataType.FLOAT64);
  }

  /** The layout; null if the inputs do not fit. */
  private @Nullable Layout layout(GpuCall call) {
    Shape x = call.shape(0);
    Shape y = call.shape(1);
    boolean areMatrices = x.rank() == 2 && y.rank() == 2;
    if (x.rank() < 2
        || y.rank() < 2
        || (batches == Batches.NONE && !areMatrices)
        || (batches == Batches.EQUAL && !outer(x).equals(outer(y)))
        || last(x, isX ? 2 : 1) != last(y, isY ? 1 : 2)) {
      return null;
    }
    try {
      return new Layout(
          plan(call), last(x, isX ? 1 : 2), last(y, isY ? 2 : 1), last(x, isX ? 2 : 1));
    } catch (StatusException _) {
      return null;
    }
  }

  private static BroadcastPlan plan(GpuCall call) {
    long mask = (call.varies(0) ? 1 : 0) | (call.varies(1) ? 2 : 0);
    return BroadcastPlan.ofRows(
        List.of(outer(call.tensor(0).shape()), outer(call.tensor(1).shape())), mask);
  }

  private static Shape outer(Shape shape) {
    return shape.sub(0, shape.rank() - 2);
  }

  private static int last(Shape shape, int fromEnd) {
    return (int) shape.size(shape.rank() - fromEnd);
  }

  private void launch(GpuCall call, Layout layout, DeviceBuffer output) {
    DeviceBuffer x = call.operand(0);
    DeviceBuffer y = call.operand(1);
    Optional<MatrixProducts> products = products(call, layout, x, y, output);
    if (products.isEmpty() || !call.multiply(products.get(), x, y, output)) {
      launch(call, layout, x, y, output);
    }
  }

  /**
   * The call as NVIDIA's library takes it; nothing if it should not be asked: for little work, and
   * for rows of a pipeline, whose bits must not depend on how many are computed together.
   */
  private Optional<MatrixProducts> products(
      GpuCall call, Layout layout, DeviceBuffer x, DeviceBuffer y, DeviceBuffer output) {
    BroadcastPlan plan = layout.plan;
    boolean isOfOneType = call.tensor(0).dtype() == result && call.tensor(1).dtype() == result;
    if (!isOfOneType || call.isMany() || plan.dimensions() > 1 || layout.work() < minWork) {
      return Optional.empty();
    }
    long sizeOfX = (long) layout.rows * layout.terms;
    long sizeOfY = (long) layout.terms * layout.columns;
    boolean isBatch = plan.dimensions() == 1;
    return libraryType()
        .map(type ->
            new MatrixProducts(
                type,
                isX,
                isY,
                layout.rows,
                layout.columns,
                layout.terms,
                plan.elements(),
                x.address(),
                isBatch && plan.varies(0, 0) ? sizeOfX : 0,
                y.address(),
                isBatch && plan.varies(1, 0) ? sizeOfY : 0,
                output.address()));
  }

  /** The library's type of results; nothing if it has none for them. */
  private Optional<CublasType> libraryType() {
    return switch (result) {
      case FLOAT32 -> Optional.of(CublasType.FLOAT);
      case FLOAT64 -> Optional.of(CublasType.DOUBLE);
      case FLOAT16 -> Optional.of(CublasType.HALF);
      case BFLOAT16 -> Optional.of(CublasType.BFLOAT16);
      default -> Optional.empty();
    };
  }

  private void launch(
      GpuCall call, Layout layout, DeviceBuffer x, DeviceBuffer y, DeviceBuffer output) {
    boolean isSmall = layout.tiles(TILE) < minTiles;
    int widthOfX = last(call.shape(0), 1);
    int widthOfY = last(call.shape(1), 1);
    List<Number> arguments = new ArrayList<>();
    arguments.add(x.address());
    arguments.add(y.address());
    arguments.add(output.address());
    arguments.add(layout.plan.elements());
    arguments.add(layout.rows);
    arguments.add(layout.columns);
    arguments.add(layout.terms);
    arguments.add(isX ? 1 : widthOfX);
    arguments.add(isX ? widthOfX : 1);
    arguments.add(isY ? widthOfY : 1);
    arguments.add(isY ? 1 : widthOfY);
    arguments.add(DtypeCode.of(call.tensor(0).dtype()));
    arguments.add(DtypeCode.of(call.tensor(1).dtype()));
    arguments.add(DtypeCode.of(result));
    addBatches(layout, arguments);
    call.launch(
        PtxResource.MATMUL,
        (isSmall ? "smallProductsOf" : "productsOf") + accumulators(),
        (int) Math.min(layout.tiles(isSmall ? SMALL_TILE : TILE), GpuCall.MAX_BLOCKS),
        List.of(x, y),
        List.of(output),
        arguments.toArray(Number[]::new));
  }

  private String accumulators() {
    return switch (result) {
      case FLOAT64 -> "Doubles";
      case INT32 -> "Ints";
      case INT64 -> "Longs";
      default -> "Floats";
    };
  }

  /** The dimensions of the batch, and the distances of matrices along them. */
  private static void addBatches(Layout layout, List<Number> arguments) {
    BroadcastPlan plan = layout.plan;
    arguments.add(plan.dimensions());
    for (int d = 1; d < MAX_RANK; d++) {
      arguments.add(d < plan.dimensions() ? plan.size(d) : 0);
    }
    int[] matrix = {layout.rows * layout.terms, layout.terms * layout.columns};
    for (int side = 0; side < matrix.length; side++) {
      for (int d = 0; d < MAX_RANK; d++) {
        boolean varies = d < plan.dimensions() && plan.varies(side, d);
        arguments.add(varies ? plan.innerOf(side, d + 1) * matrix[side] : 0);
      }
    }
  }
}
