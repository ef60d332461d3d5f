package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.signal.WavFile;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.proto.tensorflow.SummaryMetadata;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;

/**
 * Conversion of tensors to summary values, for the ops that return summaries and for those that
 * write them to event files.
 */
final class SummaryValues {
  private SummaryValues() {}

  /** Element {@code i} of {@code values} as a scalar summary value. */
  static float scalar(Tensor values, int i) {
    int at = TensorMemory.offset(values) + i;
    return values.dtype() == DataType.INT64
        ? (float) ((long[]) TensorMemory.array(values))[at]
        : (float) NumericElements.real(values.dtype(), TensorMemory.array(values), at);
  }

  /** A histogram of {@code values}; {@code what} names the tag or node in messages. */
  static Summary histogram(String tag, Tensor values, String what) {
    Histogram histogram = new Histogram();
    for (int i = 0; i < values.elements(); i++) {
      double value =
          NumericElements.real(
              values.dtype(), TensorMemory.array(values), TensorMemory.offset(values) + i);
      if (Double.isNaN(value)) {
        throw invalidArgument("Nan in summary histogram for: %s", what);
      }
      if (Double.isInfinite(value)) {
        throw invalidArgument("Infinity in Histogram for: %s", what);
      }
      histogram.add(value);
    }
    return Summary.newBuilder()
        .addValue(Summary.Value.newBuilder().setTag(tag).setHisto(histogram.toProto()))
        .build();
  }

  /**
   * The first {@code maxOutputs} clips of {@code sounds} as WAV: batch, frames, and optionally
   * channels.
   */
  static Summary audio(String tag, Tensor sounds, float sampleRate, long maxOutputs) {
    Shape shape = sounds.shape();
    if (shape.rank() != 2 && shape.rank() != 3) {
      throw invalidArgument("Tensor must be 3-D or 2-D, got: %s", shape);
    }
    if (!(sampleRate > 0)) {
      throw invalidArgument("sample_rate must be > 0");
    }
    int moments = (int) shape.size(1);
    int channels = shape.rank() == 2 ? 1 : (int) shape.size(2);
    int rate = (int) Math.max(1, Math.rint(sampleRate));
    Summary.Builder summary = Summary.newBuilder();
    long shown = Math.min(maxOutputs, shape.size(0));
    for (int i = 0; i < shown; i++) {
      int from = TensorMemory.offset(sounds) + i * moments * channels;
      byte[] file =
          WavFile.encode((float[]) TensorMemory.array(sounds), from, moments, channels, rate);
      summary
          .addValueBuilder()
          .setTag(tag + (maxOutputs > 1 ? "/audio/" + i : "/audio"))
          .setAudio(
              Summary.Audio.newBuilder()
                  .setSampleRate(sampleRate)
                  .setNumChannels(channels)
                  .setLengthFrames(moments)
                  .setContentType("audio/wav")
                  .setEncodedAudioString(UnsafeByteOperations.unsafeWrap(file)));
    }
    return summary.build();
  }

  /**
   * The TensorProto of {@code tensor}. Strings go to {@code string_val}, from which Python's {@code
   * tf.make_ndarray} reads them.
   */
  static TensorProto tensor(Tensor tensor) {
    return tensor.dtype() == DataType.STRING
        ? TensorProtos.writeValues(tensor)
        : TensorProtos.write(tensor);
  }

  /** Parses the metadata {@code serialized}; INVALID_ARGUMENT if that fails. */
  static SummaryMetadata metadata(byte[] serialized) {
    try {
      return SummaryMetadata.parseFrom(serialized);
    } catch (InvalidProtocolBufferException _) {
      throw invalidArgument("Bad tf.compat.v1.SummaryMetadata binary proto");
    }
  }
}
