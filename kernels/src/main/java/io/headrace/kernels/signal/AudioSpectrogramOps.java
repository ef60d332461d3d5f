package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The AudioSpectrogram op: spectra of sliding windows of audio. */
final class AudioSpectrogramOps {
  private AudioSpectrogramOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("AudioSpectrogram(input: float) -> spectrogram: float")
            .attrs("window_size: int", "stride: int", "magnitude_squared: bool = false")
            .shape(AudioSpectrogramOps::spectrogramRule)
            .kernel(node -> {
              int window = positive(node.attrs().integer("window_size"), 1, "window_size");
              int stride = positive(node.attrs().integer("stride"), 0, "stride");
              boolean squared = node.attrs().bool("magnitude_squared");
              return call ->
                  call.setOutput(
                      0, spectrogram(call.input(0), window, stride, squared, call.cancellation()));
            }));
  }

  /** {@code value}; INVALID_ARGUMENT, naming {@code name}, unless greater than {@code above}. */
  private static int positive(long value, int above, String name) {
    if (value <= above || value > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be > %d, got %d", name, above, value);
    }
    return (int) value;
  }

  /** The least power of two that is at least {@code n}. */
  private static int powerOfTwo(int n) {
    if (n > 1 << 30) {
      throw invalidArgument("window_size must be at most 2^30, got %d", n);
    }
    return n <= 1 ? 1 : Integer.highestOneBit(n - 1) * 2;
  }

  private static List<Shape> spectrogramRule(ShapeFunction.Inputs in) {
    Shape input = Shapes.withRank(in.shape(0), 2);
    int window = positive(in.attrs().integer("window_size"), 1, "window_size");
    int stride = positive(in.attrs().integer("stride"), 0, "stride");
    long samples = input.size(0);
    long height = samples < 0 ? -1 : samples < window ? 0 : 1 + (samples - window) / stride;
    return List.of(Shape.of(input.size(1), height, 1 + powerOfTwo(window) / 2));
  }

  private static Tensor spectrogram(
      Tensor input, int window, int stride, boolean squared, Cancellation stop) {
    if (input.shape().rank() != 2) {
      throw invalidArgument("input must be 2-dimensional%s", input.shape());
    }
    int samples = (int) input.shape().size(0);
    int channels = (int) input.shape().size(1);
    int height = samples < window ? 0 : 1 + (samples - window) / stride;
    int length = powerOfTwo(window);
    Shape shape = Shape.of(channels, height, 1 + length / 2);
    float[] out = (float[]) TensorLimit.allocateUnset(DataType.FLOAT32, shape);
    float[] in = (float[]) TensorMemory.array(input.detach());
    RealFft fourier = new RealFft(length);
    double[] hann = hann(window);
    double[] line = new double[length];
    double[] re = new double[fourier.spectrumLength()];
    double[] im = new double[fourier.spectrumLength()];
    for (int i = 0; i < channels * height; i++) {
      stop.check();
      int first = i % height * stride * channels + i / height;
      for (int j = 0; j < window; j++) {
        line[j] = in[first + j * channels] * hann[j];
      }
      fourier.forward(line, re, im);
      for (int k = 0; k < re.length; k++) {
        float power = (float) (re[k] * re[k] + im[k] * im[k]);
        out[i * re.length + k] = squared ? power : (float) Math.sqrt(power);
      }
    }
    return Tensor.wrap(DataType.FLOAT32, shape, out);
  }

  /** The periodic Hann window. */
  private static double[] hann(int size) {
    double[] window = new double[size];
    for (int i = 0; i < size; i++) {
      window[i] = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / size);
    }
    return window;
  }
}
