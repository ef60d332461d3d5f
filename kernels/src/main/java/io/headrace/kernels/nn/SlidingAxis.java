package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;

/**
 * How a window slides along one axis of images.
 *
 * @param in pixels of the image
 * @param out places of the window
 * @param window pixels that it takes in at each
 * @param stride pixels from one place to the next
 * @param rate pixels from one that it takes in to the next
 * @param before pixels of padding before the image
 */
record SlidingAxis(int in, int out, int window, int stride, int rate, int before) {
  /** What is added around images. */
  enum Padding {
    /** So much that the result is as large as the image, divided by the stride. */
    SAME,
    /** Nothing. */
    VALID;

    /** The padding that TensorFlow calls {@code text}. */
    static Padding of(String text) {
      return switch (text) {
        case "SAME" -> SAME;
        case "VALID" -> VALID;
        default -> throw invalidArgument("padding must be SAME or VALID, and is %s", text);
      };
    }

    /** The number of places, unknown if {@code in} is. */
    long outSize(long in, int window, int stride, int rate) {
      if (in < 0) {
        return Shape.UNKNOWN_DIMENSION;
      }
      long reach = reach(window, rate);
      long out = this == SAME ? (in + stride - 1) / stride : (in - reach + stride) / stride;
      if (out < 0) {
        throw negative(out, in, reach, stride);
      }
      return out;
    }

    /** How a window slides along an axis of {@code in} pixels. */
    SlidingAxis axis(int in, int window, int stride, int rate) {
      int out = (int) outSize(in, window, stride, rate);
      long needed = (out - 1L) * stride + reach(window, rate) - in;
      int before = this == SAME ? (int) Math.max(0, needed / 2) : 0;
      return new SlidingAxis(in, out, window, stride, rate, before);
    }
  }

  /** Pixels that a window reaches over. */
  static long reach(int window, int rate) {
    return (window - 1L) * rate + 1;
  }

  /** An axis with so much padding before and after it. */
  static SlidingAxis padded(int in, int window, int stride, int rate, int before, int after) {
    long padded = (long) in + before + after;
    long out = (padded - reach(window, rate) + stride) / stride;
    if (out < 0) {
      throw negative(out, padded, reach(window, rate), stride);
    }
    return new SlidingAxis(in, (int) out, window, stride, rate, before);
  }

  private static StatusException negative(long out, long in, long reach, int stride) {
    return invalidArgument(
        "Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d,"
            + " stride: %d]",
        out, in, reach, stride);
  }

  /** The image's pixel {@code k} of the window's at {@code place}; -1 if it is padding. */
  int index(int place, int k) {
    int index = place * stride - before + k * rate;
    return index >= 0 && index < in ? index : -1;
  }
}
