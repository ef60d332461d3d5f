package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** The ops DecodeWav and EncodeWav: audio from and to WAV files. */
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
            .stateless(WavOps::encode));
  }

  /** {@code count}, where -1 means as many as the file has. */
  private static int wanted(long count, String name) {
    if (count < -1 || count > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be >= -1, got %d", name, count);
    }
    return (int) count;
  }

  private static List<Shape> decodeRule(ShapeFunction.Inputs in) {
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
    file.read(out, Math.min(samples, file.length()), channels);
    call.setOutput(0, Tensor.wrap(DataType.FLOAT32, shape, out));
    call.setOutput(1, Tensor.scalar(file.sampleRate()));
  }

  /** The sample rate in {@code rate}; INVALID_ARGUMENT unless it is a scalar. */
  static int sampleRate(Tensor rate) {
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
    byte[] file =
        WavFile.encode(
            (float[]) TensorMemory.array(audio),
            TensorMemory.offset(audio),
            samples,
            channels,
            rate);
    call.setOutput(0, Tensor.wrap(file));
  }
}
