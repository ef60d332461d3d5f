package io.headrace.kernels.signal;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Complex discrete Fourier transforms of one positive length, in double precision. Immutable, hence
 * thread-safe.
 */
final class ComplexFft {
  /*
   * Powers of two use Stockham's autosort algorithm with radix 4, and radix 2 in a last stage where
   * one is left over: each stage writes its results in order, so that nothing is permuted by bits.
   * Other lengths use Bluestein's: since jk = (j^2 + k^2 - (j-k)^2) / 2, the transform is a
   * convolution with a chirp, computed by transforms of a power-of-two length.
   */

  /** Transforms up to this length are kept for the next call. */
  private static final int MAX_CACHED_LENGTH = 1 << 14;

  private static final int CACHE_SLOTS = 32;

  /** The transforms that were used last, at their lengths' remainders. */
  private static final AtomicReferenceArray<@Nullable ComplexFft> CACHE =
      new AtomicReferenceArray<>(CACHE_SLOTS);

  private final int length;

  /** For powers of two: cosines and sines of 2 pi i / length, for three quarters of the circle. */
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

  /** The transform of {@code length} elements. */
  static ComplexFft of(int length) {
    if (length > MAX_CACHED_LENGTH) {
      return new ComplexFft(length);
    }
    // The product spreads powers of two over the slots.
    int slot =
        (length * 0x9E3779B9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(CACHE_SLOTS));
    @Nullable ComplexFft cached = CACHE.get(slot);
    if (cached == null || cached.length != length) {
      cached = new ComplexFft(length);
      CACHE.set(slot, cached);
    }
    return cached;
  }

  private ComplexFft(int length) {
    this.length = length;
    boolean powerOfTwo = (length & (length - 1)) == 0;
    int arc = powerOfTwo ? (int) (3L * length / 4) + 1 : 0;
    cosines = new double[arc];
    sines = new double[arc];
    for (int i = 0; i < arc; i++) {
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
    inner = powerOfTwo ? new ComplexFft[0] : new ComplexFft[] {of(size)};
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
    double[] fromRe = re;
    double[] fromIm = im;
    double[] toRe = new double[length];
    double[] toIm = new double[length];
    int stride = 1;
    boolean inPlace = true;
    for (int size = length; size > 1; size /= 4) {
      if (size == 2) {
        radix2(stride, fromRe, fromIm, toRe, toIm);
      } else {
        radix4(size / 4, stride, fromRe, fromIm, toRe, toIm);
      }
      stride *= 4;
      double[] re2 = fromRe;
      double[] im2 = fromIm;
      fromRe = toRe;
      fromIm = toIm;
      toRe = re2;
      toIm = im2;
      inPlace = !inPlace;
    }
    if (!inPlace) {
      System.arraycopy(fromRe, 0, re, 0, length);
      System.arraycopy(fromIm, 0, im, 0, length);
    }
  }

  /** A stage of {@code stride} interleaved transforms of {@code 4 * quarter} elements. */
  private void radix4(
      int quarter, int stride, double[] xRe, double[] xIm, double[] yRe, double[] yIm) {
    int part = quarter * stride;
    for (int p = 0; p < quarter; p++) {
      int w = p * stride;
      double cos1 = cosines[w];
      double sin1 = sines[w];
      double cos2 = cosines[2 * w];
      double sin2 = sines[2 * w];
      double cos3 = cosines[3 * w];
      double sin3 = sines[3 * w];
      for (int q = 0; q < stride; q++) {
        int from = p * stride + q;
        double aRe = xRe[from];
        double aIm = xIm[from];
        double bRe = xRe[from + part];
        double bIm = xIm[from + part];
        double cRe = xRe[from + 2 * part];
        double cIm = xIm[from + 2 * part];
        double dRe = xRe[from + 3 * part];
        double dIm = xIm[from + 3 * part];
        double sumRe = aRe + cRe;
        double sumIm = aIm + cIm;
        double differenceRe = aRe - cRe;
        double differenceIm = aIm - cIm;
        double oddSumRe = bRe + dRe;
        double oddSumIm = bIm + dIm;
        // The odd difference, turned by a quarter of the circle.
        double turnedRe = bIm - dIm;
        double turnedIm = dRe - bRe;
        int to = 4 * p * stride + q;
        yRe[to] = sumRe + oddSumRe;
        yIm[to] = sumIm + oddSumIm;
        double y1Re = differenceRe + turnedRe;
        double y1Im = differenceIm + turnedIm;
        yRe[to + stride] = y1Re * cos1 + y1Im * sin1;
        yIm[to + stride] = y1Im * cos1 - y1Re * sin1;
        double y2Re = sumRe - oddSumRe;
        double y2Im = sumIm - oddSumIm;
        yRe[to + 2 * stride] = y2Re * cos2 + y2Im * sin2;
        yIm[to + 2 * stride] = y2Im * cos2 - y2Re * sin2;
        double y3Re = differenceRe - turnedRe;
        double y3Im = differenceIm - turnedIm;
        yRe[to + 3 * stride] = y3Re * cos3 + y3Im * sin3;
        yIm[to + 3 * stride] = y3Im * cos3 - y3Re * sin3;
      }
    }
  }

  /** The last stage of a length that is no power of four. */
  private static void radix2(int stride, double[] xRe, double[] xIm, double[] yRe, double[] yIm) {
    for (int q = 0; q < stride; q++) {
      yRe[q] = xRe[q] + xRe[q + stride];
      yIm[q] = xIm[q] + xIm[q + stride];
      yRe[q + stride] = xRe[q] - xRe[q + stride];
      yIm[q + stride] = xIm[q] - xIm[q + stride];
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
