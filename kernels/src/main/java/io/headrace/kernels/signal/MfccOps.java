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

/** The Mfcc op: mel-frequency cepstral coefficients of spectrograms. */
final class MfccOps {
  private MfccOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Mfcc(spectrogram: float, sample_rate: int32) -> output: float")
            .attrs(
                "upper_frequency_limit: float = 4000.0",
                "lower_frequency_limit: float = 20.0",
                "filterbank_channel_count: int = 40",
                "dct_coefficient_count: int = 13")
            .shape(MfccOps::mfccRule)
            .kernel(node -> {
              MelCepstrum.Settings settings = MelCepstrum.Settings.of(node.attrs());
              return call -> call.setOutput(0, mfcc(call, settings));
            }));
  }

  private static List<Shape> mfccRule(ShapeFunction.Inputs in) {
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
    MelCepstrum cepstrum = new MelCepstrum(settings, bins, WavOps.sampleRate(call.input(1)));
    int coefficients = settings.coefficients();
    Shape result = Shapes.withSize(shape, 2, coefficients);
    float[] out = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    float[] in = (float[]) TensorMemory.array(spectrogram.detach());
    for (int i = 0; i < shape.size(0) * shape.size(1); i++) {
      call.cancellation().check();
      cepstrum.compute(in, i * bins, out, i * coefficients);
    }
    return Tensor.wrap(DataType.FLOAT32, result, out);
  }
}
