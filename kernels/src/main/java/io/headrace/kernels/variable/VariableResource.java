package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.device.VariableReference;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A variable, the resource behind VarHandleOp's handle and VariableV2's reference: a tensor that
 * assignments replace by another of the same dtype. Thread-safe.
 */
public final class VariableResource implements VariableReference {
  /*
   * Copy on write. An assignment replaces the tensor, so readers keep the value they read. Sparse
   * updates write to the array in place while the variable owns it: the first sparse update copies
   * the value, and the next read shares the copy.
   */

  private static final AtomicLong NEXT_ID = new AtomicLong();

  /** A value, and whether readers may hold its tensor; once shared, it stays shared. */
  private static final class Held {
    final Tensor tensor;

    /** Set under the variable's lock, or on construction. */
    volatile boolean isShared;

    Held(Tensor tensor, boolean isShared) {
      this.tensor = tensor;
      this.isShared = isShared;
    }
  }

  /** The order in which locks of several variables are acquired, against deadlock. */
  private final long id = NEXT_ID.getAndIncrement();

  private final String name;
  private final DataType dtype;
  private final Shape declared;
  private volatile @Nullable Held value;

  public VariableResource(String name, DataType dtype) {
    this(name, dtype, Shape.UNKNOWN);
  }

  /** A variable declared with the shape {@code declared}, which may be partly unknown. */
  VariableResource(String name, DataType dtype, Shape declared) {
    this.name = name;
    this.dtype = dtype;
    this.declared = declared;
  }

  /** The name, for messages. */
  String name() {
    return name;
  }

  DataType dtype() {
    return dtype;
  }

  boolean isInitialized() {
    return value != null;
  }

  /** The value; FAILED_PRECONDITION if the variable is not initialized. */
  public Tensor read() {
    Held held = value;
    if (held == null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Could not find variable %s. This could mean that the variable has been deleted, or that"
              + " it was not initialized.",
          name);
    }
    return held.isShared ? held.tensor : share();
  }

  private synchronized Tensor share() {
    Held held = Objects.requireNonNull(value);
    held.isShared = true;
    return held.tensor;
  }

  /**
   * Applies {@code reader} to the value without sharing it; {@code reader} must not keep the
   * tensor. FAILED_PRECONDITION if the variable is not initialized.
   */
  <R> R readInPlace(Function<Tensor, R> reader) {
    Held held = value;
    if (held == null || held.isShared) {
      return reader.apply(read());
    }
    synchronized (this) {
      return reader.apply(Objects.requireNonNull(value).tensor);
    }
  }

  @Override
  public Tensor readReference() {
    Held held = value;
    if (held == null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "Attempting to use uninitialized value %s", name);
    }
    return held.isShared ? held.tensor : share();
  }

  /** The shape of the value, or the declared shape while the variable is not initialized. */
  Shape shape() {
    Held held = value;
    return held == null ? declared : held.tensor.shape();
  }

  /**
   * Replaces the value. INVALID_ARGUMENT if the dtype differs, or, with {@code sameShape}, if the
   * shape differs from the current one.
   */
  public synchronized void assign(Tensor newValue, boolean sameShape) {
    if (newValue.dtype() != dtype) {
      throw invalidArgument(
          "Trying to assign variable with wrong dtype. Expected %s got %s for variable %s",
          dtype.tfName(), newValue.dtype().tfName(), name);
    }
    Held held = value;
    if (sameShape && held != null && !held.tensor.shape().equals(newValue.shape())) {
      throw invalidArgument(
          "Trying to assign to variable with tensor with wrong shape."
              + " Expected %s got %s for variable %s",
          held.tensor.shape(), newValue.shape(), name);
    }
    value = new Held(newValue.detach(), true);
  }

  /**
   * Replaces the value by {@code change} of it, atomically, and returns the value before; NOT_FOUND
   * if the variable is not initialized.
   */
  synchronized Tensor update(UnaryOperator<Tensor> change) {
    if (value == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "Variable %s does not exist: it was not initialized", name);
    }
    Tensor held = share();
    value = new Held(change.apply(held), true);
    return held;
  }

  /** Runs {@code action} holding the locks of all {@code variables}. */
  static void withLocks(List<VariableResource> variables, Runnable action) {
    List<VariableResource> ordered =
        variables.stream().sorted(Comparator.comparingLong(variable -> variable.id)).toList();
    locked(ordered, 0, action);
  }

  private static void locked(List<VariableResource> variables, int from, Runnable action) {
    if (from == variables.size()) {
      action.run();
      return;
    }
    synchronized (variables.get(from)) {
      locked(variables, from + 1, action);
    }
  }

  /**
   * The value, within {@link #withLocks}; not to be kept beyond it. FAILED_PRECONDITION if the
   * variable is not initialized.
   */
  Tensor lockedValue() {
    Held held = value;
    if (held == null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "Attempting to use uninitialized value %s", name);
    }
    return held.tensor;
  }

  /** Replaces the value, within {@link #withLocks}, by a tensor of the same dtype and shape. */
  void replaceLocked(Tensor newValue) {
    value = new Held(newValue, true);
  }

  /** The value's array, within {@link #withLocks}: writable until that ends. */
  Object writableArray() {
    Held held = Objects.requireNonNull(value);
    if (held.isShared) {
      Tensor tensor = held.tensor;
      Object copy = tensor.dtype().kind().newArray(tensor.elements());
      tensor
          .dtype()
          .kind()
          .copy(
              TensorMemory.array(tensor), TensorMemory.offset(tensor), copy, 0, tensor.elements());
      held = new Held(Tensor.wrap(dtype, tensor.shape(), copy), false);
      value = held;
    }
    return TensorMemory.array(held.tensor);
  }

  /** The variable of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static VariableResource of(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof VariableResource variable) {
      return variable;
    }
    throw WrongHandle.of(handle, "variable");
  }
}
