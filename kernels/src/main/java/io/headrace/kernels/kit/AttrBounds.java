package io.headrace.kernels.kit;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Attrs;

/** Integer attrs that must not be below a minimum, refused with TensorFlow's messages. */
public final class AttrBounds {
  private AttrBounds() {}

  /** The integer attr {@code name}; INVALID_ARGUMENT if it is below {@code minimum}. */
  public static long atLeast(long minimum, Attrs attrs, String name) {
    long value = attrs.integer(name);
    if (value < minimum) {
      throw invalidArgument(
          "Value for attr '%s' of %d must be at least minimum %d", name, value, minimum);
    }
    return value;
  }

  /** The same, but INVALID_ARGUMENT if it does not fit an int32, either. */
  public static int int32AtLeast(int minimum, Attrs attrs, String name) {
    long value = atLeast(minimum, attrs, name);
    if (value > Integer.MAX_VALUE) {
      throw invalidArgument("Attr %s has value %d out of range for an int32", name, value);
    }
    return (int) value;
  }
}
