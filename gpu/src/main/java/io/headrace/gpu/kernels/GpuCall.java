package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.KernelFunction;
import io.headrace.gpu.device.LaunchSize;
import io.headrace.gpu.device.StreamRole;
import io.headrace.gpu.ptx.ElementError;
import io.headrace.gpu.ptx.ElementwiseArguments;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.op.DrawingKernel;
import io.headrace.runtime.op.DrawingKernel.Draw;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Movement;
import io.headrace.runtime.op.MovingKernel;
import io.headrace.runtime.op.ResamplingKernel;
import io.headrace.runtime.op.ResamplingKernel.Resampling;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a written kernel, for one row or for many: its inputs, the buffers that it holds
 * until it is closed, and its launches. The outputs become those of the call when all are there.
 * Not thread-safe.
 */
final class GpuCall implements AutoCloseable {
  /** The threads of a block. */
  static final int BLOCK = 256;

  /** The most blocks of a launch: enough to fill the largest devices many times. */
  static final int MAX_BLOCKS = 4096;

  private final GpuContext context;
  private final String node;
  private final KernelCall call;
  private final @Nullable RowsCall many;
  private final HostWait wait;
  private final Map<Integer, DeviceBuffer> operands = new TreeMap<>();
  private final List<DeviceBuffer> held = new ArrayList<>();
  private final Map<Integer, Supplier<Tensor>> outputs = new TreeMap<>();

  /**
   * A call on {@code context}.
   *
   * @param node names the node in the table of memory
   * @param many the same call, if it is one for many rows
   */
  GpuCall(GpuContext context, String node, KernelCall call, @Nullable RowsCall many) {
    this.context = context;
    this.node = node;
    this.call = call;
    this.many = many;
    this.wait = HostWait.until(call.cancellation());
  }

  /** The movements that {@code rules} tells; null if it declines these rows. */
  @Nullable List<Movement> movements(MovingKernel rules) {
    return many == null ? rules.movements(call) : rules.movementsOfRows(many);
  }

  /** The weighted sums that {@code rules} tells. */
  Resampling resampling(ResamplingKernel rules) {
    return rules.resampling(call);
  }

  /** The random numbers that {@code rules} tells, which it does not give again. */
  Draw draw(DrawingKernel rules) {
    return rules.draw(call);
  }

  /** The number of inputs. */
  int inputs() {
    return call.inputs();
  }

  /** The number of rows, at least 1. */
  int rows() {
    return many == null ? 1 : many.rows();
  }

  /** Whether this is a call for many rows, whose outputs have a row dimension. */
  boolean isMany() {
    return many != null;
  }

  /** Whether input {@code index} has a value for each row. */
  boolean varies(int index) {
    return many != null && many.isRows(index);
  }

  /** The shape of input {@code index} in each row. */
  Shape shape(int index) {
    Shape shape = call.input(index).shape();
    return varies(index) ? shape.dropFirst(1) : shape;
  }

  /**
   * The elements from one row of input {@code index} to the next; 0 if all rows share one value.
   */
  int stride(int index) {
    return varies(index) ? shape(index).elements() : 0;
  }

  /** {@code rowShape} with the row dimension, if there are many. */
  Shape withRows(Shape rowShape) {
    return many == null ? rowShape : rowShape.prepend(many.rows());
  }

  /** Input {@code index}, of all rows, as a tensor. */
  Tensor tensor(int index) {
    return call.input(index);
  }

  /**
   * Input {@code index}, of integers, if it is the same in every row, as the host reads it; null if
   * rows differ.
   */
  @Nullable Tensor parameter(int index) {
    Tensor all = call.input(index);
    if (!varies(index)) {
      return all;
    }
    Tensor first = all.row(0);
    for (int row = 1; row < rows(); row++) {
      if (!Arrays.equals(first.integers(), all.row(row).integers())) {
        return null;
      }
    }
    return first;
  }

  /** Whether the host has the elements of input {@code index}, and no device alone. */
  boolean isOnHost(int index) {
    return TensorMemory.device(call.input(index)) == null;
  }

  /** The elements of input {@code index} on the device. */
  DeviceBuffer operand(int index) {
    return operands.computeIfAbsent(
        index, i -> GpuTensorMemory.hold(context, call.input(i), node, wait));
  }

  /** The elements of a tensor that is no input, on the device, until the call is closed. */
  DeviceBuffer operand(Tensor tensor) {
    DeviceBuffer buffer = GpuTensorMemory.hold(context, tensor, node, wait);
    held.add(buffer);
    return buffer;
  }

  /** Memory with undefined content, until the call is closed. */
  DeviceBuffer scratch(long bytes) {
    DeviceBuffer buffer = GpuMemory.allocate(context, bytes, node, StreamRole.COMPUTE, wait);
    held.add(buffer);
    return buffer;
  }

  /** A word for the first error of an element, with {@link ElementError#NONE}. */
  DeviceBuffer errorWord() {
    DeviceBuffer word = GpuMemory.allocate(context, Long.BYTES, node, StreamRole.TO_DEVICE, wait);
    held.add(word);
    context.copies().write(Tensor.scalar(ElementError.NONE), word, wait);
    return word;
  }

  /** Whether an error was left in {@code word}; waits for the launches so far. */
  boolean hasError(DeviceBuffer word) {
    Tensor value = context.copies().toHost(word, DataType.INT64, Shape.SCALAR, wait);
    return value.integer(0) != ElementError.NONE;
  }

  /** A new buffer for output {@code index}, of {@code shape}, with the row dimension. */
  DeviceBuffer output(int index, DataType dtype, Shape shape) {
    long bytes = (long) shape.elements() * dtype.byteSize();
    DeviceBuffer buffer = GpuMemory.allocate(context, bytes, node, StreamRole.COMPUTE, wait);
    held.add(buffer);
    outputs.put(index, () -> GpuTensorMemory.tensor(context, buffer.retain(), dtype, shape));
    return buffer;
  }

  /** Sets output {@code index} to a tensor that is there. */
  void output(int index, Tensor value) {
    outputs.put(index, () -> value);
  }

  /** Sets output {@code index} to a tensor without elements. */
  void empty(int index, DataType dtype, Shape shape) {
    output(index, Tensor.wrap(dtype, shape, TensorLimit.allocate(dtype, shape)));
  }

  /** Sets all bytes of a buffer to 0. */
  void zero(DeviceBuffer buffer) {
    context.stream(StreamRole.COMPUTE)
        .enqueue(
            List.of(),
            List.of(buffer),
            (driver, stream) ->
                driver.memsetD8Async(buffer.address(), (byte) 0, buffer.bytes(), stream));
  }

  /** The blocks of a launch with a thread for each of {@code elements}, or for several. */
  static int blocks(int elements) {
    return (int) Math.min(MAX_BLOCKS, ((long) elements + BLOCK - 1) / BLOCK);
  }

  /**
   * Launches a kernel in blocks of {@link #BLOCK} threads.
   *
   * @param reads the buffers that it reads
   * @param writes the buffers that it writes, or reads and writes
   * @param arguments what it takes: addresses and long integers as Long, the others as their type
   */
  void launch(
      PtxResource module,
      String kernel,
      int blocks,
      List<DeviceBuffer> reads,
      List<DeviceBuffer> writes,
      Number... arguments) {
    try (Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(module.text(), kernel)) {
      context.stream(StreamRole.COMPUTE)
          .launch(
              function,
              LaunchSize.linear(blocks, BLOCK),
              arguments(arena, arguments),
              reads,
              writes);
    }
  }

  /** Launches an elementwise kernel, none of whose elements can have an error. */
  void launch(
      GeneratedKernels kernels,
      BroadcastPlan plan,
      List<DeviceBuffer> operands,
      DeviceBuffer output) {
    List<Access> access = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      access.add(plan.access(i));
    }
    List<Long> addresses = operands.stream().map(DeviceBuffer::address).toList();
    PtxKernel kernel = kernels.kernel(access, plan.dimensions(), addresses);
    try (Arena arena = Arena.ofConfined();
        KernelFunction function = context.modules().function(kernel.text(), kernel.name())) {
      context.stream(StreamRole.COMPUTE)
          .launch(
              function,
              LaunchSize.linear(kernel.blocks(plan.elements(), BLOCK), BLOCK),
              ElementwiseArguments.of(
                  kernel, plan, addresses, output.address(), output.address(), arena),
              operands,
              List.of(output));
    }
  }

  /** Lets NVIDIA's library make products, if the machine has it; returns whether it does. */
  boolean multiply(MatrixProducts products, DeviceBuffer x, DeviceBuffer y, DeviceBuffer output) {
    return context.products().multiply(products, x, y, output);
  }

  private static KernelArguments arguments(Arena arena, Number... values) {
    KernelArguments arguments = KernelArguments.allocate(arena, values.length);
    for (int i = 0; i < values.length; i++) {
      switch (values[i]) {
        case Integer value -> arguments.set(i, (int) value);
        case Long value -> arguments.set(i, (long) value);
        case Float value -> arguments.set(i, (float) value);
        case Double value -> arguments.set(i, (double) value);
        default -> throw new IllegalArgumentException("an argument of " + values[i].getClass());
      }
    }
    return arguments;
  }

  /** Hands the outputs over. */
  void finish() {
    outputs.forEach((index, output) -> call.setOutput(index, output.get()));
  }

  @Override
  public void close() {
    operands.values().forEach(DeviceBuffer::close);
    held.forEach(DeviceBuffer::close);
  }
}
