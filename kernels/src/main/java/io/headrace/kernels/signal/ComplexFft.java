package io.headrace.kernels.signal;

/**
 * Complex discrete Fourier transforms of one positive length, in double precision. Immutable, hence
 * thread-safe.
 */
final class ComplexFft {
  /*
   * Powers of two use Cooley and Tukey's radix-2 algorithm, in place, after a bit-reversal
   * permutation. Other lengths use Bluestein's: since jk = (j^2 + k^2 - (j-k)^2) / 2, the transform
   * is a convolution with a chirp, computed by transforms of a power-of-two length.
   */

  private final int length;

  /** For powers of two: cosines and sines of 2 pi i / length, up to half of the circle. */
  private final double[] cosines;

  private final double[] sines;

  /** For other lengths: the chirp exp(-pi i k^2 / length). */
  private final double[] chirpRe;

  private final double[] chirpIm;

  /** The transform of the conjugate chirp, the convolution's kernel. */
  private final double[] kernelRe;

  private final double[] kernelIm;

  /** For other lengths, the power-of-two transform of the convolution; else empty. */
  private final ComplexFft[] inner;

  ComplexFft(int length) {
    this.length = length;
    boolean powerOfTwo = (length & (length - 1)) == 0;
    int half = powerOfTwo ? length / 2 : 0;
    cosines = new double[half];
    sines = new double[half];
    for (int i = 0; i < half; i++) {
      cosines[i] = Math.cos(2 * Math.PI * i / length);
      sines[i] = Math.sin(2 * Math.PI * i / length);
    }
    int chirp = powerOfTwo ? 0 : length;
    chirpRe = new double[chirp];
    chirpIm = new double[chirp];
    for (int k = 0; k < chirp; k++) {
      double angle = Math.PI * ((long) k * k % (2L * length)) / length;
      chirpRe[k] = Math.cos(angle);
      chirpIm[k] = -Math.sin(angle);
    }
    int size = powerOfTwo ? 0 : Integer.highestOneBit(Math.multiplyExact(length, 4) - 3);
    kernelRe = new double[size];
    kernelIm = new double[size];
    inner = powerOfTwo ? new ComplexFft[0] : new ComplexFft[] {new ComplexFft(size)};
    if (!powerOfTwo) {
      for (int k = 0; k < length; k++) {
        kernelRe[k] = chirpRe[k];
        kernelIm[k] = -chirpIm[k];
        kernelRe[(size - k) % size] = chirpRe[k];
        kernelIm[(size - k) % size] = -chirpIm[k];
      }
      inner[0].transform(kernelRe, kernelIm);
    }
  }

  int length() {
    return length;
  }

  /**
   * Transforms the first {@code length} elements of both arrays, real and imaginary parts, in
   * place.
   */
  void transform(double[] re, double[] im) {
    if (inner.length == 0) {
      powerOfTwo(re, im);
    } else {
      bluestein(re, im);
    }
  }

  /** The inverse transform without the division by the length: the two parts exchanged. */
  void inverse(double[] re, double[] im) {
    transform(im, re);
  }

  private void powerOfTwo(double[] re, double[] im) {
    bitReverse(re, im);
    for (int half = 1; half < length; half *= 2) {
      int step = length / (2 * half);
      for (int block = 0; block < length; block += 2 * half) {
        for (int j = 0; j < half; j++) {
          int a = block + j;
          int b = a + half;
          double cos = cosines[j * step];
          double sin = sines[j * step];
          double x = re[b] * cos + im[b] * sin;
          double y = im[b] * cos - re[b] * sin;
          re[b] = re[a] - x;
          im[b] = im[a] - y;
          re[a] += x;
          im[a] += y;
        }
      }
    }
  }

  /** Permutes the elements to bit-reversed order. */
  private void bitReverse(double[] re, double[] im) {
    int shift = Integer.numberOfLeadingZeros(length) + 1;
    for (int i = 1; i < length; i++) {
      int j = Integer.reverse(i) >>> shift;
      if (j > i) {
        double x = re[i];
        double y = im[i];
        re[i] = re[j];
        im[i] = im[j];
        re[j] = x;
        im[j] = y;
      }
    }
  }

  private void bluestein(double[] re, double[] im) {
    int size = kernelRe.length;
    double[] a = new double[size];
    double[] b = new double[size];
    for (int k = 0; k < length; k++) {
      a[k] = re[k] * chirpRe[k] - im[k] * chirpIm[k];
      b[k] = re[k] * chirpIm[k] + im[k] * chirpRe[k];
    }
    inner[0].transform(a, b);
    for (int k = 0; k < size; k++) {
      double x = a[k] * kernelRe[k] - b[k] * kernelIm[k];
      b[k] = a[k] * kernelIm[k] + b[k] * kernelRe[k];
      a[k] = x;
    }
    inner[0].inverse(a, b);
    for (int k = 0; k < length; k++) {
      re[k] = (a[k] * chirpRe[k] - b[k] * chirpIm[k]) / size;
      im[k] = (a[k] * chirpIm[k] + b[k] * chirpRe[k]) / size;
    }
  }
}
