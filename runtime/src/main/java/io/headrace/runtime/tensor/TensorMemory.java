package io.headrace.runtime.tensor;

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
