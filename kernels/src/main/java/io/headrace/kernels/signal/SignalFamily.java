package io.headrace.kernels.signal;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Fourier transforms and audio. */
public final class SignalFamily {
  private SignalFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(WavOps.ops(), FftOps.ops()).flatMap(List::stream).toList();
  }
}
