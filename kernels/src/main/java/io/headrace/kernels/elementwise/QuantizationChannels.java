package io.headrace.kernels.elementwise;

import io.headrace.runtime.tensor.Shape;

/**
 * The layout of a tensor around the quantization axis. Values of one channel share their bounds.
 *
 * @param blocks elements before the axis
 * @param channels size of the axis; 1 without an axis
 * @param width elements after the axis
 */
record QuantizationChannels(int blocks, int channels, int width) {
  /** The layout of a tensor of {@code shape}, of more dimensions than {@code axis}. */
  static QuantizationChannels of(Shape shape, long axis) {
    if (axis < 0) {
      return new QuantizationChannels(1, 1, shape.elements());
    }
    int at = (int) axis;
    return new QuantizationChannels(
        shape.sub(0, at).elements(), (int) shape.size(at), shape.dropFirst(at + 1).elements());
  }

  /** The channel of the element at index {@code element}. */
  int channel(int element) {
    return element / width % channels;
  }
}
