package io.headrace.kernels.signal;

import java.util.Arrays;

/**
 * Discrete Fourier transforms of real numbers, and back; only the first half of the spectrum is
 * there, and the one in the middle, for the rest mirrors it. Used by one thread.
 */
final class RealFourier {
  /** The length of the numbers. */
  private final int length;

  /** Even lengths are done as complex numbers, two reals each, half as many. */
  private final boolean even;

  private final Fourier fourier;
  private final double[] cosines;
  private final double[] sines;
  private final double[] re;
  private final double[] im;

  RealFourier(int length) {
    this.length = length;
    this.even = length % 2 == 0;
    this.fourier = new Fourier(even ? length / 2 : length);
    int half = length / 2 + 1;
    this.cosines = new double[half];
    this.sines = new double[half];
    for (int k = 0; k < half; k++) {
      cosines[k] = Math.cos(2 * Math.PI * k / length);
      sines[k] = Math.sin(2 * Math.PI * k / length);
    }
    this.re = new double[fourier.length()];
    this.im = new double[fourier.length()];
  }

  int length() {
    return length;
  }

  /** How many there are of a spectrum. */
  int spectrumLength() {
    return length / 2 + 1;
  }

  /** Sets the spectrum, real and imaginary parts, of the first {@code length} of {@code values}. */
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
    for (int k = 0; k <= half; k++) {
      int i = k % half;
      int j = (half - k) % half;
      double evenRe = (re[i] + re[j]) / 2;
      double evenIm = (im[i] - im[j]) / 2;
      double oddRe = (im[i] + im[j]) / 2;
      double oddIm = (re[j] - re[i]) / 2;
      spectrumRe[k] = evenRe + oddRe * cosines[k] + oddIm * sines[k];
      spectrumIm[k] = evenIm + oddIm * cosines[k] - oddRe * sines[k];
    }
    spectrumIm[0] = 0;
    spectrumIm[half] = 0;
  }

  /** Sets {@code values} to the numbers that have that spectrum. */
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
      double turnedRe = oddRe * cosines[k] - oddIm * sines[k];
      double turnedIm = oddRe * sines[k] + oddIm * cosines[k];
      re[k] = spectrumRe[k] + mirroredRe - turnedIm;
      im[k] = ownIm + mirroredIm + turnedRe;
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
