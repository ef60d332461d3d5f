package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;

/**
 * A sliding window along one axis of images.
 *
 * @param in pixels of the image
 * @param out output positions
 * @param window taps of the window
 * @param stride pixels from one output position to the next
 * @param rate dilation: pixels from one tap to the next
 * @param before pixels of padding before the image
 */
record SlidingAxis(int in, int out, int window, int stride, int rate, int before) {
  /** The padding schemes that size themselves; explicit padding is {@link #padded}. */
  enum Padding {
    /** Padding for an output size of the image size divided by the stride, rounded up. */
    SAME,
    /** No padding. */
    VALID;

    /** Parses attr {@code padding}. */
    static Padding of(String text) {
      return switch (text) {
        case "SAME" -> SAME;
        case "VALID" -> VALID;
        default -> throw invalidArgument("padding must be SAME or VALID, and is %s", text);
      };
    }

    /** The number of output positions; unknown if {@code in} is. */
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

    /** The axis of an image of {@code in} pixels. */
    SlidingAxis axis(int in, int window, int stride, int rate) {
      int out = (int) outSize(in, window, stride, rate);
      long needed = (out - 1L) * stride + reach(window, rate) - in;
      int before = this == SAME ? (int) Math.max(0, needed / 2) : 0;
      return new SlidingAxis(in, out, window, stride, rate, before);
    }
  }

  /** The extent of a dilated window in pixels. */
  static long reach(int window, int rate) {
    return (window - 1L) * rate + 1;
  }

  /** An axis with explicit padding before and after it. */
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

  /** The first tap at output position {@code position} that is not over the padding before. */
  int firstTap(int position) {
    return taps(before - (long) position * stride);
  }

  /** The end of the taps at output position {@code position} that are not over padding. */
  int endTap(int position) {
    return taps((long) in + before - (long) position * stride);
  }

  /** The taps that begin within {@code pixels}. */
  private int taps(long pixels) {
    return Math.clamp(rate == 1 ? pixels : Math.ceilDiv(pixels, rate), 0, window);
  }

  /** The pixel under tap {@code k} at output position {@code position}; -1 for padding. */
  int index(int position, int k) {
    int index = position * stride - before + k * rate;
    return index >= 0 && index < in ? index : -1;
  }
}
