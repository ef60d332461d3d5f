package io.headrace.runtime.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The arrays behind tensors, as kernels and codecs read them: in place, without a copy. No part of
 * the API of programs, which read values with {@link Tensor#floats}, {@link Tensor#longs} and their
 * like; a test holds the list of packages that use this class.
 *
 * <p>An array is not to be written to, and may hold more than the tensor's values: those of other
 * tensors may lie before and behind them. Thread-safe.
 */
public final class TensorMemory {
  private TensorMemory() {}

  /**
   * The backing array of {@code tensor}, of the type that its {@link ElementKind} names; the first
   * value is at {@link #offset}.
   */
  public static Object array(Tensor tensor) {
    return tensor.array();
  }

  /**
   * A tensor whose elements are in a device's memory. Its {@link #array} is copied from there when
   * it is first read, and the reader waits for it.
   */
  public static Tensor onDevice(DataType dtype, Shape shape, DeviceStorage memory) {
    return Tensor.onDevice(dtype, shape, memory);
  }

  /**
   * A tensor over memory of the host outside the Java heap, which must not be written to
   * afterwards. Its {@link #array} is copied from there when it is first read.
   *
   * @param segment the elements, little-endian, and nothing else; accessible by all threads, and
   *     valid while it, or a slice of it, is reachable
   */
  public static Tensor ofSegment(DataType dtype, Shape shape, MemorySegment segment) {
    return Tensor.ofSegment(dtype, shape, segment);
  }

  /**
   * The elements of {@code tensor} in memory outside the Java heap, little-endian and read-only;
   * null if they are in an array, and are read with {@link #array}. Elements of a device are copied
   * there, and the reader waits for it. A segment stays valid while it, or a slice of it, is
   * reachable, whatever becomes of the tensor; its bare address does not.
   */
  public static @Nullable MemorySegment segment(Tensor tensor) {
    return switch (tensor.storage()) {
      case Storage.OnDevice onDevice -> onDevice.segment();
      case Storage.InNative there -> there.segment();
      case Storage.HostArray _, Storage.InPieces _ -> null;
    };
  }

  /**
   * {@code tensor} with its elements on the host and no longer on a device: outside the Java heap,
   * or in an array.
   */
  public static Tensor onHost(Tensor tensor) {
    if (device(tensor) == null) {
      return tensor;
    }
    MemorySegment segment = segment(tensor);
    return segment == null
        ? Tensor.wrap(tensor.dtype(), tensor.shape(), array(tensor))
        : ofSegment(tensor.dtype(), tensor.shape(), segment);
  }

  /**
   * The device's memory with the elements of {@code tensor}; null if they are on the host alone.
   */
  public static @Nullable DeviceStorage device(Tensor tensor) {
    return tensor.storage() instanceof Storage.OnDevice onDevice ? onDevice.memory() : null;
  }

  /**
   * The tensors whose values, one after another, are those of {@code tensor}: it alone, unless it
   * was batched of large rows whose arrays nobody has asked to be joined. Writers that take one
   * after another save a copy.
   */
  public static List<Tensor> pieces(Tensor tensor) {
    return tensor.pieces();
  }

  /**
   * A view of the elements of {@code shape} from element {@code from} of {@code tensor} on, which
   * lie in it. Large rows that were not joined stay apart.
   */
  public static Tensor part(Tensor tensor, Shape shape, int from) {
    Objects.checkFromIndexSize(from, shape.elements(), tensor.elements());
    return tensor.part(shape, from);
  }

  /** The index, in elements, of the first value of {@code tensor} in its {@link #array}. */
  public static int offset(Tensor tensor) {
    return tensor.offset();
  }
}
