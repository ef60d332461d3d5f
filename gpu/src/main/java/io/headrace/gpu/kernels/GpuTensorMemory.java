package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.StreamRole;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.DeviceStorage;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Optional;

/**
 * The elements of a tensor in a GPU's memory. The memory is free again some time after the tensor
 * is unreachable, as with any object; {@link GpuMemory} hastens that when memory is short.
 * Thread-safe.
 */
final class GpuTensorMemory implements DeviceStorage {
  private static final Cleaner CLEANER = Cleaner.create();

  private final GpuContext context;
  private final DeviceBuffer buffer;
  private final DataType dtype;
  private final Shape shape;

  private GpuTensorMemory(GpuContext context, DeviceBuffer buffer, DataType dtype, Shape shape) {
    this.context = context;
    this.buffer = buffer;
    this.dtype = dtype;
    this.shape = shape;
  }

  /** A tensor of the elements at the start of {@code buffer}, which it closes. */
  static Tensor tensor(GpuContext context, DeviceBuffer buffer, DataType dtype, Shape shape) {
    GpuTensorMemory memory = new GpuTensorMemory(context, buffer, dtype, shape);
    var _ = CLEANER.register(memory, buffer::close);
    return TensorMemory.onDevice(dtype, shape, memory);
  }

  /**
   * The elements of {@code tensor} in a context's memory, which are copied there unless they are
   * there; held for the caller to close.
   *
   * @param node names the reader in the table of memory
   */
  static DeviceBuffer hold(GpuContext context, Tensor tensor, String node, HostWait wait) {
    if (TensorMemory.device(tensor) instanceof GpuTensorMemory memory
        && memory.context == context) {
      return memory.retain();
    }
    DeviceBuffer buffer =
        GpuMemory.allocate(context, tensor.byteSize(), node, StreamRole.TO_DEVICE, wait);
    try {
      context.copies().write(tensor, buffer, wait);
      return buffer;
    } catch (RuntimeException | Error e) {
      buffer.close();
      throw e;
    }
  }

  /** The buffer, held once more, for its caller to close. */
  private DeviceBuffer retain() {
    try {
      return buffer.retain();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public Object toHost() {
    return PlatformThreads.call(() -> {
      try (DeviceBuffer held = retain()) {
        Tensor copy = context.copies().toHost(held, dtype, shape, HostWait.uncancelled());
        return TensorMemory.array(copy);
      }
    });
  }

  @Override
  public Optional<MemorySegment> toNative() {
    return PlatformThreads.call(() -> {
      try (DeviceBuffer held = retain()) {
        long bytes = (long) shape.elements() * dtype.byteSize();
        return context.copies().toPinned(held, bytes, HostWait.uncancelled());
      }
    });
  }
}
