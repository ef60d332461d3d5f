package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.device.Reference;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A variable: a tensor that can be replaced by another of its dtype. What the handle of VarHandleOp
 * holds. Thread-safe.
 */
public final class VariableResource implements Reference {
  /*
   * Mostly a change replaces the tensor, and whoever read the one before keeps it. Changes of a few
   * rows of many write to the array itself as long as nobody has read it: a value is its variable's
   * own from the first such change, which copies it, up to the next read.
   */

  private static final AtomicLong NEXT_ID = new AtomicLong();

  /** A value, and whether others may hold its tensor; once they may, that does not change. */
  private static final class Held {
    final Tensor tensor;

    /** Set to true under the lock, or when the value is made. */
    volatile boolean isShared;

    Held(Tensor tensor, boolean isShared) {
      this.tensor = tensor;
      this.isShared = isShared;
    }
  }

  /** The order in which locks of several variables are taken. */
  private final long id = NEXT_ID.getAndIncrement();

  private final String name;
  private final DataType dtype;
  private final Shape declared;
  private volatile @Nullable Held value;

  public VariableResource(String name, DataType dtype) {
    this(name, dtype, Shape.UNKNOWN);
  }

  /** One whose values are to have the shape {@code declared}, as far as that is known. */
  VariableResource(String name, DataType dtype, Shape declared) {
    this.name = name;
    this.dtype = dtype;
    this.declared = declared;
  }

  /** Its name, for messages. */
  String name() {
    return name;
  }

  DataType dtype() {
    return dtype;
  }

  boolean isInitialized() {
    return value != null;
  }

  /** Its value; FAILED_PRECONDITION if it has none. */
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
   * What {@code reader} makes of its value, of which it keeps nothing; FAILED_PRECONDITION if there
   * is none.
   */
  <R> R look(Function<Tensor, R> reader) {
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

  /** The shape of its value, or the one that it was declared with if it has none. */
  Shape shape() {
    Held held = value;
    return held == null ? declared : held.tensor.shape();
  }

  /** Replaces its value; with {@code sameShape}, only by one of the shape that it has. */
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

  /** Replaces its value by what {@code change} makes of it; NOT_FOUND if it has none. */
  synchronized Tensor update(UnaryOperator<Tensor> change) {
    if (value == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "Variable %s does not exist: it was not initialized", name);
    }
    Tensor held = share();
    value = new Held(change.apply(held), true);
    return held;
  }

  /** Does {@code action} while nobody else changes any of {@code variables}. */
  static void exclusively(List<VariableResource> variables, Runnable action) {
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
   * Its value within {@link #exclusively}, of which nothing is kept beyond; FAILED_PRECONDITION if
   * it has none.
   */
  Tensor held() {
    Held held = value;
    if (held == null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "Attempting to use uninitialized value %s", name);
    }
    return held.tensor;
  }

  /** Replaces its value within {@link #exclusively} by a tensor of the same dtype and shape. */
  void replaceHeld(Tensor newValue) {
    value = new Held(newValue, true);
  }

  /** The array of its value within {@link #exclusively}, which may be written to up to its end. */
  Object writable() {
    Held held = Objects.requireNonNull(value);
    if (held.isShared) {
      Tensor tensor = held.tensor;
      Object copy = tensor.dtype().kind().newArray(tensor.elements());
      tensor.dtype().kind().copy(tensor.array(), tensor.offset(), copy, 0, tensor.elements());
      held = new Held(Tensor.of(dtype, tensor.shape(), copy), false);
      value = held;
    }
    return held.tensor.array();
  }

  /** The variable whose handle is {@code handle}; INVALID_ARGUMENT if it is none. */
  static VariableResource of(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof VariableResource variable) {
      return variable;
    }
    throw invalidArgument("the handle must be that of one variable, and is %s", handle);
  }
}
