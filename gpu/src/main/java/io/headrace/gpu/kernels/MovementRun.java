package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.Movement.Dimension;
import io.headrace.runtime.op.Movement.StridedCopy;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves elements as the CPU's kernel of a node tells: a launch for each copy. An output with all
 * elements of an input in their order is that input.
 *
 * @param rules tells what to move
 */
record MovementRun(MovingKernel rules) implements WrittenKernel {
  /** The most launches of a call. */
  private static final int MAX_COPIES = 1024;

  /** The most dimensions of a copy. */
  private static final int MAX_RANK = 8;

  /** The edge of the tiles in which matrices are transposed; smaller ones are copied. */
  private static final int TILE = 32;

  @Override
  public boolean run(GpuCall call) {
    List<Movement> movements = call.movements(rules);
    if (movements == null || !isWithinBounds(movements)) {
      return false;
    }
    for (int i = 0; i < movements.size(); i++) {
      Movement movement = movements.get(i);
      Tensor view = view(call, movement);
      if (view != null) {
        call.output(i, view);
      } else if (movement.shape().elements() == 0) {
        call.empty(i, movement.dtype(), movement.shape());
      } else {
        move(call, i, movement);
      }
    }
    return true;
  }

  private static boolean isWithinBounds(List<Movement> movements) {
    return movements.stream().mapToInt(movement -> movement.copies().size()).sum() <= MAX_COPIES
        && movements.stream()
            .flatMap(movement -> movement.copies().stream())
            .allMatch(copy -> copy.dimensions().size() <= MAX_RANK);
  }

  /** The input that is the output, if there is one. */
  private static @Nullable Tensor view(GpuCall call, Movement movement) {
    if (movement.copies().size() != 1) {
      return null;
    }
    StridedCopy copy = movement.copies().getFirst();
    Tensor input = call.tensor(copy.input());
    int elements = copy.elements();
    return copy.isRun() && elements == input.elements() && elements == movement.shape().elements()
        ? input.reshape(movement.shape())
        : null;
  }

  private static void move(GpuCall call, int output, Movement movement) {
    DeviceBuffer to = call.output(output, movement.dtype(), movement.shape());
    if (movement.isZeroed()) {
      call.zero(to);
    }
    for (StridedCopy copy : movement.copies()) {
      WideCopy wide = WideCopy.of(copy, movement.dtype().byteSize());
      DeviceBuffer from = call.operand(copy.input());
      if (!transpose(call, wide, from, to)) {
        copy(call, wide, from, to);
      }
    }
  }

  private static void copy(GpuCall call, WideCopy wide, DeviceBuffer from, DeviceBuffer to) {
    List<Number> arguments = new ArrayList<>();
    arguments.add(from.address() + (long) wide.copy().from() * wide.bytes());
    arguments.add(to.address() + (long) wide.copy().to() * wide.bytes());
    arguments.add(wide.copy().elements());
    List<Dimension> dimensions = wide.copy().dimensions();
    arguments.add(dimensions.size());
    for (int i = 1; i < MAX_RANK; i++) {
      arguments.add(i < dimensions.size() ? dimensions.get(i).size() : 0);
    }
    for (int i = 0; i < MAX_RANK; i++) {
      arguments.add(i < dimensions.size() ? dimensions.get(i).fromStride() : 0);
    }
    for (int i = 0; i < MAX_RANK; i++) {
      arguments.add(i < dimensions.size() ? dimensions.get(i).toStride() : 0);
    }
    call.launch(
        PtxResource.MOVES,
        "copy" + wide.bytes(),
        GpuCall.blocks(wide.copy().elements()),
        List.of(from),
        List.of(to),
        arguments.toArray(Number[]::new));
  }

  /** Moves matrices that are transposed through tiles; or returns false if that is no such copy. */
  private static boolean transpose(
      GpuCall call, WideCopy wide, DeviceBuffer from, DeviceBuffer to) {
    List<Dimension> dimensions = wide.copy().dimensions();
    if (dimensions.size() < 2 || dimensions.size() > 3) {
      return false;
    }
    Dimension columns = dimensions.get(dimensions.size() - 2);
    Dimension rows = dimensions.getLast();
    Dimension matrices = dimensions.size() == 3 ? dimensions.getFirst() : new Dimension(1, 0, 0);
    if (columns.fromStride() != 1
        || rows.toStride() != 1
        || columns.size() < TILE
        || rows.size() < TILE) {
      return false;
    }
    long tiles =
        (long) matrices.size()
            * ((columns.size() + TILE - 1) / TILE)
            * ((rows.size() + TILE - 1) / TILE);
    call.launch(
        PtxResource.MOVES,
        "transpose" + wide.bytes(),
        (int) Math.min(tiles, GpuCall.MAX_BLOCKS),
        List.of(from),
        List.of(to),
        from.address() + (long) wide.copy().from() * wide.bytes(),
        to.address() + (long) wide.copy().to() * wide.bytes(),
        matrices.size(),
        rows.size(),
        columns.size(),
        rows.fromStride(),
        columns.toStride(),
        matrices.fromStride(),
        matrices.toStride());
    return true;
  }
}
