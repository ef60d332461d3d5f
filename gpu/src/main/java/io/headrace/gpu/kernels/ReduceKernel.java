package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sum, Mean, Prod, Max, Min, All and Any: reductions along axes. Where results are few and elements
 * many, each result is made of parts, in a second launch.
 *
 * @param operation what combines elements
 * @param keepsDims the attr {@code keep_dims}
 */
record ReduceKernel(Operation operation, boolean keepsDims) implements WrittenKernel {
  /** The blocks that keep a device busy. */
  private static final int BUSY_BLOCKS = 512;

  /** The elements of a part for each thread, at least. */
  private static final int MIN_PER_THREAD = 8;

  /** With more results in columns than this, a thread makes each. */
  private static final int MANY_COLUMNS = 1 << 15;

  /** The operations. */
  enum Operation {
    SUM("sum", 0),
    MEAN("sum", 0),
    PRODUCT("product", 1),
    LARGEST("largest", Double.NEGATIVE_INFINITY),
    SMALLEST("smallest", Double.POSITIVE_INFINITY);

    private final String kernel;
    private final double identity;

    Operation(String kernel, double identity) {
      this.kernel = kernel;
      this.identity = identity;
    }

    /** The identity of integers: infinities are the numbers of 64 bits at that end. */
    Number identity(boolean isFloating) {
      return isFloating ? (Number) identity : (Number) (long) identity;
    }

    int code(DataType dtype) {
      return this == LARGEST || this == SMALLEST ? DtypeCode.ordered(dtype) : DtypeCode.of(dtype);
    }
  }

  static WrittenKernel of(NodeSpec node) {
    Operation operation =
        switch (node.op().name()) {
          case "Sum" -> Operation.SUM;
          case "Mean" -> Operation.MEAN;
          case "Prod" -> Operation.PRODUCT;
          case "Max", "Any" -> Operation.LARGEST;
          case "Min", "All" -> Operation.SMALLEST;
          default -> throw new IllegalArgumentException(node.op() + " is no reduction");
        };
    return new ReduceKernel(operation, node.attrs().bool("keep_dims"));
  }

  @Override
  public boolean run(GpuCall call) {
    Tensor indices = call.parameter(1);
    BitSet axes = indices == null ? null : axes(indices, call.shape(0).rank());
    return axes != null && reduce(call, axes);
  }

  /** Reduces the first input along {@code axes}; false if the CPU is to. */
  boolean reduce(GpuCall call, BitSet axes) {
    Tensor input = call.tensor(0);
    if (input.elements() == 0
        || (call.rows() > 1 && !call.varies(0))
        || (operation == Operation.MEAN && input.dtype() == DataType.UINT64)) {
      return false;
    }
    Shape result = call.withRows(reduced(call.shape(0), axes));
    Optional<ReducedAxes> shape = ReducedAxes.of(input.shape(), ofRows(axes, call));
    shape.ifPresent(present -> launch(call, present, result));
    return shape.isPresent();
  }

  /** The axes; null if there is a wrong one, or one twice. */
  static @Nullable BitSet axes(Tensor indices, int rank) {
    BitSet axes = new BitSet();
    for (long index : indices.integers()) {
      long axis = index < 0 ? index + rank : index;
      if (axis < 0 || axis >= rank || axes.get((int) axis)) {
        return null;
      }
      axes.set((int) axis);
    }
    return axes;
  }

  /** The axes behind that of rows, if the first input has one. */
  static BitSet ofRows(BitSet axes, GpuCall call) {
    if (!call.varies(0)) {
      return axes;
    }
    BitSet shifted = new BitSet();
    axes.stream().forEach(axis -> shifted.set(axis + 1));
    return shifted;
  }

  private Shape reduced(Shape shape, BitSet axes) {
    List<Long> sizes = new ArrayList<>();
    for (int axis = 0; axis < shape.rank(); axis++) {
      if (!axes.get(axis)) {
        sizes.add(shape.size(axis));
      } else if (keepsDims) {
        sizes.add(1L);
      }
    }
    return Shape.of(sizes.stream().mapToLong(Long::longValue).toArray());
  }

  private void launch(GpuCall call, ReducedAxes shape, Shape result) {
    DataType dtype = call.tensor(0).dtype();
    int outputs = shape.outputs();
    int length = shape.length();
    int lanes = lanes(shape);
    int blocks = blocks(outputs, lanes);
    int mostParts = length / (lanes * MIN_PER_THREAD);
    int parts = Math.clamp(BUSY_BLOCKS / blocks, 1, Math.max(1, mostParts));
    DeviceBuffer from = call.operand(0);
    DeviceBuffer to = call.output(0, dtype, result);
    int code = operation.code(dtype);
    long count = operation == Operation.MEAN ? length : 0;
    if (parts == 1) {
      launch(call, from, to, shape, lanes, 1, code, code, count);
    } else {
      DeviceBuffer partial = call.scratch((long) outputs * parts * Long.BYTES);
      int total = DtypeCode.of(dtype.isFloating() ? DataType.FLOAT64 : DataType.INT64);
      launch(call, from, partial, shape, lanes, parts, code, total, 0);
      ReducedAxes second =
          new ReducedAxes(
              List.of(new ReducedAxes.Dimension(outputs, parts)),
              List.of(new ReducedAxes.Dimension(parts, 1)));
      launch(call, partial, to, second, lanes(second), 1, total, code, count);
    }
  }

  private void launch(
      GpuCall call,
      DeviceBuffer from,
      DeviceBuffer to,
      ReducedAxes shape,
      int lanes,
      int parts,
      int fromCode,
      int toCode,
      long count) {
    boolean isFloating = call.tensor(0).dtype().isFloating();
    List<Number> arguments = new ArrayList<>();
    arguments.add(from.address());
    arguments.add(to.address());
    arguments.add(shape.outputs());
    arguments.add(shape.length());
    arguments.add(lanes);
    arguments.add(parts);
    arguments.add((shape.length() + parts - 1) / parts);
    arguments.add(fromCode);
    arguments.add(toCode);
    arguments.add(operation.identity(isFloating));
    arguments.add(count);
    shape.addTo(arguments);
    call.launch(
        PtxResource.REDUCTIONS,
        operation.kernel + (isFloating ? "OfFloats" : "OfIntegers"),
        blocks(shape.outputs() * parts, lanes),
        List.of(from),
        List.of(to),
        arguments.toArray(Number[]::new));
  }

  /** The threads that make a result together: a power of 2. */
  static int lanes(ReducedAxes shape) {
    if (shape.isOfColumns() && shape.outputs() > MANY_COLUMNS) {
      return 1;
    }
    int perThread = Math.max(1, shape.length() / MIN_PER_THREAD);
    return Math.min(GpuCall.BLOCK, Integer.highestOneBit(perThread));
  }

  /** The blocks that make results with {@code lanes} threads each. */
  static int blocks(int results, int lanes) {
    int perBlock = GpuCall.BLOCK / lanes;
    return Math.min(GpuCall.MAX_BLOCKS, (int) (((long) results + perBlock - 1) / perBlock));
  }
}
