package io.headrace.kernels.signal;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Signal processing ops: Fourier transforms, spectrograms and WAV files. */
public final class SignalFamily {
  private SignalFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            AudioSpectrogramOps.ops(), FftOps.ops(), FftNdOps.ops(), MfccOps.ops(), WavOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
