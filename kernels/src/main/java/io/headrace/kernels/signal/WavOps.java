package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/** Ops that read and write sound, and that show which frequencies it has. */
final class WavOps {
  private WavOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeWav(contents: string) -> (audio: float, sample_rate: int32)")
            .attrs("desired_channels: int = -1", "desired_samples: int = -1")
            .shape(WavOps::decodeRule)
            .kernel(node -> {
              int channels = wanted(node.attrs().integer("desired_channels"), "desired_channels");
              int samples = wanted(node.attrs().integer("desired_samples"), "desired_samples");
              return call -> decode(call, channels, samples);
            }),
        Op.define("EncodeWav(audio: float, sample_rate: int32) -> contents: string")
            .shape(in -> {
              Shapes.withRank(in.shape(0), 2);
              Shapes.withRank(in.shape(1), 0);
              return List.of(Shape.SCALAR);
            })
            .stateless(WavOps::encode),
        Op.define("AudioSpectrogram(input: float) -> spectrogram: float")
            .attrs("window_size: int", "stride: int", "magnitude_squared: bool = false")
            .shape(WavOps::spectrogramRule)
            .kernel(node -> {
              int window = positive(node.attrs().integer("window_size"), 1, "window_size");
              int stride = positive(node.attrs().integer("stride"), 0, "stride");
              boolean squared = node.attrs().bool("magnitude_squared");
              return call ->
                  call.setOutput(
                      0, spectrogram(call.input(0), window, stride, squared, call.cancellation()));
            }),
        Op.define("Mfcc(spectrogram: float, sample_rate: int32) -> output: float")
            .attrs(
                "upper_frequency_limit: float = 4000.0",
                "lower_frequency_limit: float = 20.0",
                "filterbank_channel_count: int = 40",
                "dct_coefficient_count: int = 13")
            .shape(WavOps::mfccRule)
            .kernel(node -> {
              MelCepstrum.Settings settings = MelCepstrum.Settings.of(node.attrs());
              return call -> call.setOutput(0, mfcc(call, settings));
            }));
  }

  private static int wanted(long count, String name) {
    if (count < -1 || count > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be >= -1, got %d", name, count);
    }
    return (int) count;
  }

  private static int positive(long value, int above, String name) {
    if (value <= above || value > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be > %d, got %d", name, above, value);
    }
    return (int) value;
  }

  private static List<Shape> decodeRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 0);
    long channels = wanted(in.attrs().integer("desired_channels"), "desired_channels");
    long samples = wanted(in.attrs().integer("desired_samples"), "desired_samples");
    return List.of(Shape.of(samples, channels), Shape.SCALAR);
  }

  private static void decode(KernelCall call, int wantedChannels, int wantedSamples) {
    Tensor contents = call.input(0);
    if (contents.shape().rank() != 0) {
      throw invalidArgument("contents must be scalar, got shape %s", contents.shape());
    }
    WavFile file = WavFile.parse(contents.string(0));
    int samples = wantedSamples < 0 ? file.length() : wantedSamples;
    int channels = wantedChannels < 0 ? file.channels() : wantedChannels;
    Shape shape = Shape.of(samples, channels);
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
    int at = 0;
    for (int sample = 0; sample < Math.min(samples, file.length()); sample++) {
      for (int channel = 0; channel < channels; channel++) {
        out[at++] = file.sample(sample, Math.min(channel, file.channels() - 1));
      }
    }
    call.setOutput(0, Tensor.of(DataType.FLOAT32, shape, out));
    call.setOutput(1, Tensor.scalar(file.sampleRate()));
  }

  private static int sampleRate(Tensor rate) {
    if (rate.shape().rank() != 0) {
      throw invalidArgument(
          "Input sample_rate should be a scalar tensor, got %s instead.", rate.shape());
    }
    return (int) rate.integer(0);
  }

  private static void encode(KernelCall call) {
    Tensor audio = call.input(0);
    if (audio.shape().rank() != 2) {
      throw invalidArgument("audio must be 2-dimensional%s", audio.shape());
    }
    int rate = sampleRate(call.input(1));
    int samples = (int) audio.shape().size(0);
    int channels = (int) audio.shape().size(1);
    byte[] file = WavFile.encode((float[]) audio.array(), audio.offset(), samples, channels, rate);
    call.setOutput(0, Tensor.scalar(file));
  }

  /** The least power of two that is at least {@code n}. */
  private static int powerOfTwo(int n) {
    if (n > 1 << 30) {
      throw invalidArgument("window_size must be at most 2^30, got %d", n);
    }
    return n <= 1 ? 1 : Integer.highestOneBit(n - 1) * 2;
  }

  private static List<Shape> spectrogramRule(ShapeRule.Inputs in) {
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
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, shape);
    float[] in = input.floats();
    RealFourier fourier = new RealFourier(length);
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
    return Tensor.of(DataType.FLOAT32, shape, out);
  }

  /** The periodic Hann window. */
  private static double[] hann(int size) {
    double[] window = new double[size];
    for (int i = 0; i < size; i++) {
      window[i] = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / size);
    }
    return window;
  }

  private static List<Shape> mfccRule(ShapeRule.Inputs in) {
    Shape spectrogram = Shapes.withRank(in.shape(0), 3);
    Shapes.withRank(in.shape(1), 0);
    long coefficients = in.attrs().integer("dct_coefficient_count");
    return List.of(Shape.of(spectrogram.size(0), spectrogram.size(1), coefficients));
  }

  private static Tensor mfcc(KernelCall call, MelCepstrum.Settings settings) {
    Tensor spectrogram = call.input(0);
    Shape shape = spectrogram.shape();
    if (shape.rank() != 3) {
      throw invalidArgument("spectrogram must be 3-dimensional%s", shape);
    }
    int bins = (int) shape.size(2);
    MelCepstrum cepstrum = new MelCepstrum(settings, bins, sampleRate(call.input(1)));
    int coefficients = settings.coefficients();
    Shape result = Shapes.withSize(shape, 2, coefficients);
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    float[] in = spectrogram.floats();
    for (int i = 0; i < shape.size(0) * shape.size(1); i++) {
      call.cancellation().check();
      cepstrum.compute(in, i * bins, out, i * coefficients);
    }
    return Tensor.of(DataType.FLOAT32, result, out);
  }
}
