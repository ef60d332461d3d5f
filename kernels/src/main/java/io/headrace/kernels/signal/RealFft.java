package io.headrace.kernels.signal;

import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Discrete Fourier transforms of real sequences, and their inverses. A spectrum consists of its
 * first length / 2 + 1 elements; the rest are their conjugates. Not thread-safe.
 */
final class RealFft {
  /** The length of the real sequence. */
  private final int length;

  /** Whether the length is even: the reals are then transformed in pairs, as complex numbers. */
  private final boolean even;

  private final ComplexFft fourier;
  private final double[] cosines;
  private final double[] sines;
  private final double[] re;
  private final double[] im;

  /** The cosines and sines of the first angles of a full turn in {@code length} steps. */
  private static final class Angles {
    /** Those of the last few lengths; races cost a computation. */
    private static final AtomicReferenceArray<@Nullable Angles> CACHE =
        new AtomicReferenceArray<>(16);

    private static final int MAX_CACHED_LENGTH = 1 << 16;

    private final int length;
    private final double[] cosines;
    private final double[] sines;

    private Angles(int length, int count) {
      this.length = length;
      this.cosines = new double[count];
      this.sines = new double[count];
      for (int k = 0; k < count; k++) {
        cosines[k] = Math.cos(2 * Math.PI * k / length);
        sines[k] = Math.sin(2 * Math.PI * k / length);
      }
    }

    static Angles of(int length, int count) {
      if (length > MAX_CACHED_LENGTH) {
        return new Angles(length, count);
      }
      int slot = (length * 0x9E3779B9) >>> (Integer.SIZE - 4);
      @Nullable Angles cached = CACHE.get(slot);
      if (cached == null || cached.length != length) {
        cached = new Angles(length, count);
        CACHE.set(slot, cached);
      }
      return cached;
    }
  }

  RealFft(int length) {
    this.length = length;
    this.even = length % 2 == 0;
    this.fourier = ComplexFft.of(even ? length / 2 : length);
    int half = length / 2 + 1;
    Angles angles = Angles.of(length, half);
    this.cosines = angles.cosines;
    this.sines = angles.sines;
    this.re = new double[fourier.length()];
    this.im = new double[fourier.length()];
  }

  int length() {
    return length;
  }

  /** Whether native loops can compute spectra of floats, as {@link #forward} does. */
  boolean isForNativeLoops() {
    return even && fourier.isFactored() && fourier.plan().isShort();
  }

  /**
   * Writes the spectra of real sequences, by native loops.
   *
   * @param from index of the first sequence in {@code in}
   * @param step floats from the beginning of a sequence to that of the next
   * @param out the spectra, one after the other, a pair of floats for each complex number
   */
  void spectra(
      NativeFourier loops,
      float[] in,
      int from,
      int step,
      int lines,
      float[] out,
      Cancellation stop) {
    NativeFourier.Plan half = fourier.plan();
    NativeFourier.Plan whole = NativeFourier.Plan.of(length, new int[0], cosines, sines);
    int most = NativeFourier.linesAtOnce(half);
    for (int line = 0; line < lines; line += most) {
      stop.check();
      int count = Math.min(most, lines - line);
      int to = 2 * spectrumLength() * line;
      loops.spectra(half, whole, in, from + step * line, step, count, out, to);
    }
  }

  /** Elements of a spectrum. */
  int spectrumLength() {
    return length / 2 + 1;
  }

  /** Computes the spectrum of the first {@code length} elements of {@code values}. */
  void forward(double[] values, double[] spectrumRe, double[] spectrumIm) {
    if (!even) {
      System.arraycopy(values, 0, re, 0, length);
      Arrays.fill(im, 0);
      fourier.transform(re, im);
      System.arraycopy(re, 0, spectrumRe, 0, spectrumLength());
      System.arraycopy(im, 0, spectrumIm, 0, spectrumLength());
      return;
    }
    int half = length / 2;
    for (int i = 0; i < half; i++) {
      re[i] = values[2 * i];
      im[i] = values[2 * i + 1];
    }
    fourier.transform(re, im);
    spectrumRe[0] = re[0] + im[0];
    spectrumRe[half] = re[0] - im[0];
    for (int i = 1; i < half; i++) {
      int j = half - i;
      double evenRe = (re[i] + re[j]) / 2;
      double evenIm = (im[i] - im[j]) / 2;
      double oddRe = (im[i] + im[j]) / 2;
      double oddIm = (re[j] - re[i]) / 2;
      spectrumRe[i] = evenRe + oddRe * cosines[i] + oddIm * sines[i];
      spectrumIm[i] = evenIm + oddIm * cosines[i] - oddRe * sines[i];
    }
    spectrumIm[0] = 0;
    spectrumIm[half] = 0;
  }

  /** Computes the real sequence with the given spectrum. */
  void inverse(double[] spectrumRe, double[] spectrumIm, double[] values) {
    if (!even) {
      inverseOdd(spectrumRe, spectrumIm, values);
      return;
    }
    int half = length / 2;
    for (int k = 0; k < half; k++) {
      double mirroredRe = spectrumRe[half - k];
      double mirroredIm = half - k == half ? 0 : -spectrumIm[half - k];
      double ownIm = k == 0 ? 0 : spectrumIm[k];
      double oddRe = spectrumRe[k] - mirroredRe;
      double oddIm = ownIm - mirroredIm;
      double rotatedRe = oddRe * cosines[k] - oddIm * sines[k];
      double rotatedIm = oddRe * sines[k] + oddIm * cosines[k];
      re[k] = spectrumRe[k] + mirroredRe - rotatedIm;
      im[k] = ownIm + mirroredIm + rotatedRe;
    }
    fourier.inverse(re, im);
    for (int i = 0; i < half; i++) {
      values[2 * i] = re[i] / length;
      values[2 * i + 1] = im[i] / length;
    }
  }

  private void inverseOdd(double[] spectrumRe, double[] spectrumIm, double[] values) {
    re[0] = spectrumRe[0];
    im[0] = 0;
    for (int k = 1; k < spectrumLength(); k++) {
      re[k] = spectrumRe[k];
      im[k] = spectrumIm[k];
      re[length - k] = spectrumRe[k];
      im[length - k] = -spectrumIm[k];
    }
    fourier.inverse(re, im);
    for (int i = 0; i < length; i++) {
      values[i] = re[i] / length;
    }
  }
}
