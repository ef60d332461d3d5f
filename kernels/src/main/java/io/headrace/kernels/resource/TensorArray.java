package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.variant.TensorList;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A TensorArray: tensors of one dtype for the while loops of one step, each element written once.
 * Only the handle of TensorArrayV3 refers to it, so it lives as long as the step. Its gradient is
 * another TensorArray, which sums the writes to an element. Thread-safe.
 */
final class TensorArray {
  /**
   * The attrs of a TensorArrayV3 node.
   *
   * @param dtype the dtype of the elements
   * @param elementShape the declared shape of the elements
   * @param isDynamic whether writes past the end grow the array
   * @param clearsRead whether a read clears the element
   * @param areShapesEqual whether the first write fixes the shape of all elements
   */
  record Spec(
      DataType dtype,
      Shape elementShape,
      boolean isDynamic,
      boolean clearsRead,
      boolean areShapesEqual) {}

  private static final AtomicLong NUMBERS = new AtomicLong();

  private static final class Slot {
    /** Null if the element was cleared, or stands for zeros of {@link #shape}. */
    @Nullable Tensor tensor;

    Shape shape = Shape.SCALAR;
    boolean isWritten;
    boolean isRead;
    boolean isCleared;
  }

  private final String name;
  private final Spec spec;
  private final boolean isGradient;
  private final Map<Integer, Slot> slots = new HashMap<>();
  private final Map<String, TensorArray> gradients = new HashMap<>();
  private Shape elementShape;
  private int size;
  private boolean isDynamic;
  private boolean wasAggregated;
  private boolean isClosed;

  private TensorArray(String name, Spec spec, int size, boolean isGradient) {
    this.name = name;
    this.spec = spec;
    this.size = size;
    this.isGradient = isGradient;
    this.elementShape = spec.elementShape();
    this.isDynamic = spec.isDynamic();
  }

  /** An array of {@code size} unwritten elements. */
  static TensorArray create(String name, Spec spec, long size) {
    if (size < 0) {
      throw invalidArgument("TensorArray size must not be negative: %d", size);
    }
    return new TensorArray(
        name + "_" + NUMBERS.getAndIncrement(), spec, Math.toIntExact(size), false);
  }

  /** The array of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static TensorArray of(Tensor handle) {
    if (handle.elements() == 1
        && handle.dtype() == DataType.RESOURCE
        && handle.reference(0) instanceof TensorArray array) {
      return array;
    }
    throw WrongHandle.of(handle, "tensor array");
  }

  DataType dtype() {
    return spec.dtype();
  }

  synchronized int size() {
    checkOpen();
    return size;
  }

  synchronized boolean isDynamic() {
    return isDynamic;
  }

  synchronized Shape elementShape() {
    return elementShape;
  }

  /** Merges {@code shape} into the element shape; INVALID_ARGUMENT if they are incompatible. */
  synchronized void narrow(Shape shape) {
    elementShape = TensorList.merge(elementShape, shape);
  }

  private void checkOpen() {
    if (isClosed) {
      throw invalidArgument("TensorArray %s has already been closed.", name);
    }
  }

  /** Releases all elements; later operations fail. */
  synchronized void close() {
    isClosed = true;
    slots.clear();
  }

  /**
   * The gradient array for {@code source}, created on the first call. This array no longer grows.
   *
   * @param prepended the dimensions that precede an element's own in the gradient
   */
  synchronized TensorArray gradient(String source, Shape prepended) {
    isDynamic = false;
    checkOpen();
    if (wasAggregated) {
      throw invalidArgument(
          "Unable to create a gradients TensorArray for %s.  Perhaps you used the"
              + " multiple_writes_aggregate flag on a previous write?  Gradient calculation is"
              + " impossible when multiple writes are performed to the same index.",
          name);
    }
    return gradients.computeIfAbsent(source, _ -> newGradient(source, prepended));
  }

  private TensorArray newGradient(String source, Shape prepended) {
    Spec gradientSpec =
        new Spec(
            spec.dtype(),
            Shapes.concat(prepended, elementShape),
            false,
            true,
            spec.areShapesEqual());
    TensorArray gradient = new TensorArray(name + "@" + source, gradientSpec, size, true);
    for (int i = 0; i < size; i++) {
      Slot own = slots.get(i);
      Slot zeros = new Slot();
      zeros.shape = Shapes.concat(prepended, own == null ? Shape.SCALAR : own.shape);
      zeros.isWritten = true;
      gradient.slots.put(i, zeros);
    }
    return gradient;
  }

  /**
   * Writes element {@code index}; a gradient array adds to the present value by {@code sum}.
   * INVALID_ARGUMENT if the element was written or read before, is past the end, or has another
   * dtype or shape.
   */
  synchronized void write(long index, Tensor value, BinaryOperator<Tensor> sum) {
    checkOpen();
    if (index < 0 || (!isDynamic && index >= size)) {
      throw invalidArgument(
          "TensorArray %s: Tried to write to index %d but array is not resizeable and size is: %d",
          name, index, size);
    }
    size = (int) Math.max(size, index + 1);
    Slot slot = slots.computeIfAbsent((int) index, _ -> new Slot());
    if (value.dtype() != spec.dtype()) {
      throw refused(
          index,
          "the value dtype is %s but TensorArray dtype is %s."
              .formatted(value.dtype().tfName(), spec.dtype().tfName()));
    }
    if (!elementShape.isCompatibleWith(value.shape())) {
      throw refused(
          index,
          ("the value shape is %s which is incompatible with the TensorArray's inferred element"
                  + " shape: %s (consider setting infer_shape=False).")
              .formatted(value.shape(), elementShape));
    }
    if (spec.areShapesEqual() && !elementShape.isKnown()) {
      elementShape = value.shape();
    }
    if (slot.isRead) {
      throw refused(index, "it has already been read.");
    }
    if (slot.isWritten && !isGradient) {
      throw refused(index, "it has already been written to.");
    }
    put(slot, index, value, sum);
  }

  private void put(Slot slot, long index, Tensor value, BinaryOperator<Tensor> sum) {
    if (slot.isWritten && !value.shape().equals(slot.shape)) {
      throw invalidArgument(
          "TensorArray %s: Could not aggregate to TensorArray index %d because the existing shape"
              + " is %s but the new input shape is %s.",
          name, index, slot.shape, value.shape());
    }
    Tensor held = slot.tensor;
    if (held == null || held.elements() == 0) {
      slot.tensor = value;
    } else {
      slot.tensor = sum.apply(held, value);
      wasAggregated = true;
    }
    slot.shape = value.shape();
    slot.isWritten = true;
  }

  private RuntimeException refused(long index, String why) {
    return invalidArgument(
        "TensorArray %s: Could not write to TensorArray index %d because %s", name, index, why);
  }

  /**
   * Element {@code index}; zeros if it was not written and its shape is known. INVALID_ARGUMENT if
   * it is past the end, or cleared by an earlier read.
   */
  synchronized Tensor read(long index) {
    checkOpen();
    if (index < 0 || index > Integer.MAX_VALUE || (!isGradient && index >= size)) {
      throw invalidArgument("Tried to read from index %d but array size is: %d", index, size);
    }
    Slot slot = slots.computeIfAbsent((int) index, _ -> new Slot());
    if (!slot.isWritten) {
      writeZeros(slot, index);
    }
    if (slot.isCleared) {
      throw invalidArgument(
          "TensorArray %s: Could not read index %d twice because it was cleared after a previous"
              + " read (perhaps try setting clear_after_read = false?).",
          name, index);
    }
    Tensor value = slot.tensor;
    if (value == null) {
      value = TensorList.zeros(spec.dtype(), slot.shape);
    }
    slot.tensor = spec.clearsRead() ? null : value;
    slot.isCleared = spec.clearsRead();
    slot.isRead = true;
    return value;
  }

  private void writeZeros(Slot slot, long index) {
    if (slot.shape.rank() == 0) {
      if (!elementShape.isKnown()) {
        throw invalidArgument(
            "TensorArray %s: Could not read from TensorArray index %d.  Furthermore, the element"
                + " shape is not fully defined: %s.  It is possible you are working with a"
                + " resizeable TensorArray and stop_gradients is not allowing the gradients to be"
                + " written.  If you set the full element_shape property on the forward"
                + " TensorArray, the proper all-zeros tensor will be returned instead of incurring"
                + " this error.",
            name, index, elementShape);
      }
      slot.shape = elementShape;
    }
    size = (int) Math.max(size, index + 1);
    slot.isWritten = true;
  }
}
