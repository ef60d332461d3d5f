package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * GatherV2 and Gather: slices of a tensor, selected by index along an axis. Indices that are out of
 * range are found where they are, and their error is the CPU's.
 *
 * @param batchDimsAttr the attr {@code batch_dims}
 */
record GatherKernel(long batchDimsAttr) implements WrittenKernel {
  static WrittenKernel of(NodeSpec node) {
    boolean hasBatches = node.op().attr("batch_dims") != null;
    return new GatherKernel(hasBatches ? node.attrs().integer("batch_dims") : 0);
  }

  /**
   * The sizes of the parts of the inputs' shapes.
   *
   * @param batches the batches
   * @param outers the slices before the axis, of each batch
   * @param picked the indices of each batch
   * @param limit the size of the axis
   * @param inner the elements of a slice
   * @param result the shape of the output in each row
   */
  private record Layout(int batches, int outers, int picked, int limit, int inner, Shape result) {}

  @Override
  public boolean run(GpuCall call) {
    Layout layout = layout(call);
    if (layout == null) {
      return false;
    }
    DataType dtype = call.tensor(0).dtype();
    Shape shape = call.withRows(layout.result);
    // Where there is no result, indices are checked all the same; and on the host, at no cost.
    if (shape.elements() == 0 || (call.isOnHost(1) && !areInRange(call.tensor(1), layout.limit))) {
      return false;
    }
    DeviceBuffer params = call.operand(0);
    DeviceBuffer indices = call.operand(1);
    DeviceBuffer output = call.output(0, dtype, shape);
    DeviceBuffer error = call.errorWord();
    int bytes = widest(layout.inner * dtype.byteSize());
    int perElement = dtype.byteSize();
    call.launch(
        PtxResource.MOVES,
        "gather" + bytes,
        GpuCall.blocks(wide(shape.elements(), perElement, bytes)),
        List.of(params, indices),
        List.of(output, error),
        params.address(),
        indices.address(),
        output.address(),
        error.address(),
        wide(shape.elements(), perElement, bytes),
        IndexKind.of(call.tensor(1).dtype()),
        layout.batches,
        layout.outers,
        layout.picked,
        layout.limit,
        wide(layout.inner, perElement, bytes),
        wide(call.stride(0), perElement, bytes),
        call.stride(1));
    return call.isOnHost(1) || !call.hasError(error);
  }

  /** Whether all of {@code indices}, which the host has, are from 0 to below {@code limit}. */
  static boolean areInRange(Tensor indices, int limit) {
    for (int i = 0; i < indices.elements(); i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= limit) {
        return false;
      }
    }
    return true;
  }

  /** The layout; null if the inputs do not fit, or the axis is not one. */
  private @Nullable Layout layout(GpuCall call) {
    Shape params = call.shape(0);
    Shape indices = call.shape(1);
    long axis = 0;
    if (call.inputs() > 2) {
      Tensor given = call.parameter(2);
      if (given == null || given.shape().rank() != 0) {
        return null;
      }
      axis = given.integer(0);
    }
    int rank = params.rank();
    long batch = batchDimsAttr < 0 ? batchDimsAttr + indices.rank() : batchDimsAttr;
    axis += axis < 0 ? rank : 0;
    if (axis < 0
        || axis >= rank
        || batch < 0
        || batch > indices.rank()
        || batch > axis
        || !params.sub(0, (int) batch).equals(indices.sub(0, (int) batch))) {
      return null;
    }
    return layout(params, indices, (int) axis, (int) batch);
  }

  private static Layout layout(Shape params, Shape indices, int axis, int batch) {
    Shape picked = indices.sub(batch, indices.rank());
    Shape inner = params.sub(axis + 1, params.rank());
    Shape result =
        Shape.of(
            LongStream.concat(
                    LongStream.concat(
                        LongStream.of(params.sub(0, axis).dimensions()),
                        LongStream.of(picked.dimensions())),
                    LongStream.of(inner.dimensions()))
                .toArray());
    return new Layout(
        params.sub(0, batch).elements(),
        params.sub(batch, axis).elements(),
        picked.elements(),
        (int) params.size(axis),
        inner.elements(),
        result);
  }

  /** The largest size of a unit, in bytes, of which slices of {@code bytes} bytes consist. */
  private static int widest(int bytes) {
    return Math.min(Long.BYTES, Integer.lowestOneBit(bytes));
  }

  /** The number of units of {@code bytes} bytes that {@code elements} elements are. */
  private static int wide(int elements, int elementBytes, int bytes) {
    return (int) ((long) elements * elementBytes / bytes);
  }
}
