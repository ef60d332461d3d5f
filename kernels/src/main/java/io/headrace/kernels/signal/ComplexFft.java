package io.headrace.kernels.signal;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Complex discrete Fourier transforms of one positive length, in double precision. Immutable, hence
 * thread-safe.
 */
final class ComplexFft {
  /*
   * Products of small primes use Stockham's autosort algorithm, a stage for each factor: 4 as often
   * as it divides the length, then 2, then odd primes. Each stage writes its results in order, so
   * that nothing is permuted by digits. Other lengths use Bluestein's: since
   * jk = (j^2 + k^2 - (j-k)^2) / 2, the transform is a convolution with a chirp, computed by
   * transforms of a power-of-two length.
   */

  /** Transforms up to this length are kept for the next call. */
  private static final int MAX_CACHED_LENGTH = 1 << 14;

  private static final int CACHE_SLOTS = 32;

  /** The transforms that were used last, at their lengths' remainders. */
  private static final AtomicReferenceArray<@Nullable ComplexFft> CACHE =
      new AtomicReferenceArray<>(CACHE_SLOTS);

  /** Larger prime factors than this are left to Bluestein's algorithm. */
  private static final int MAX_PRIME = 13;

  /** Shorter ones take less time than a native call. */
  private static final int MIN_NATIVE_LENGTH = 16;

  private final int length;

  /** The radix of each stage; empty for lengths with a large prime factor, and for 1. */
  private final int[] radices;

  /** For lengths of small factors: cosines and sines of 2 pi i / length. */
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

  /** For lengths of small factors: the stages, for native loops. */
  private final NativeFourier.Plan plan;

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
    this.radices = radices(length);
    boolean factored = radices.length > 0 || length == 1;
    int arc = factored ? length : 0;
    cosines = new double[arc];
    sines = new double[arc];
    for (int i = 0; i < arc; i++) {
      cosines[i] = Math.cos(2 * Math.PI * i / length);
      sines[i] = Math.sin(2 * Math.PI * i / length);
    }
    plan = NativeFourier.Plan.of(length, radices, cosines, sines);
    int chirp = factored ? 0 : length;
    chirpRe = new double[chirp];
    chirpIm = new double[chirp];
    for (int k = 0; k < chirp; k++) {
      double angle = Math.PI * ((long) k * k % (2L * length)) / length;
      chirpRe[k] = Math.cos(angle);
      chirpIm[k] = -Math.sin(angle);
    }
    int size = factored ? 0 : Integer.highestOneBit(Math.multiplyExact(length, 4) - 3);
    kernelRe = new double[size];
    kernelIm = new double[size];
    inner = factored ? new ComplexFft[0] : new ComplexFft[] {of(size)};
    if (!factored) {
      for (int k = 0; k < length; k++) {
        kernelRe[k] = chirpRe[k];
        kernelIm[k] = -chirpIm[k];
        kernelRe[(size - k) % size] = chirpRe[k];
        kernelIm[(size - k) % size] = -chirpIm[k];
      }
      inner[0].transform(kernelRe, kernelIm);
    }
  }

  /** The radices of {@code length}, those of 4 first; empty if it has a large prime factor. */
  private static int[] radices(int length) {
    IntStream.Builder radices = IntStream.builder();
    int rest = length;
    for (int radix = 4; radix <= MAX_PRIME; radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2) {
      for (; rest % radix == 0; rest /= radix) {
        radices.add(radix);
      }
    }
    return rest == 1 ? radices.build().toArray() : new int[0];
  }

  int length() {
    return length;
  }

  /**
   * Transforms the first {@code length} elements of both arrays, real and imaginary parts, in
   * place.
   */
  void transform(double[] re, double[] im) {
    if (!isFactored()) {
      bluestein(re, im);
    } else if (NativeFourier.INSTANCE != null && length >= MIN_NATIVE_LENGTH && plan.isShort()) {
      NativeFourier.INSTANCE.transform(plan, re, im);
    } else {
      stages(re, im);
    }
  }

  /** Whether the length has small prime factors only. */
  boolean isFactored() {
    return inner.length == 0;
  }

  /** The stages, if it {@link #isFactored}. */
  NativeFourier.Plan plan() {
    return plan;
  }

  /** The inverse transform without the division by the length: the two parts exchanged. */
  void inverse(double[] re, double[] im) {
    transform(im, re);
  }

  /** {@link #transform} in Java, for a length that {@link #isFactored}. */
  void stages(double[] re, double[] im) {
    double[] fromRe = re;
    double[] fromIm = im;
    double[] toRe = new double[length];
    double[] toIm = new double[length];
    int stride = 1;
    boolean inPlace = true;
    for (int radix : radices) {
      int part = length / stride / radix;
      switch (radix) {
        case 4 -> radix4(part, stride, fromRe, fromIm, toRe, toIm);
        case 2 -> radix2(part, stride, fromRe, fromIm, toRe, toIm);
        default -> oddRadix(radix, part, stride, fromRe, fromIm, toRe, toIm);
      }
      stride *= radix;
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

  /** A stage of {@code stride} interleaved transforms of {@code 2 * half} elements. */
  private void radix2(
      int half, int stride, double[] xRe, double[] xIm, double[] yRe, double[] yIm) {
    int part = half * stride;
    for (int p = 0; p < half; p++) {
      double cos = cosines[p * stride];
      double sin = sines[p * stride];
      for (int q = 0; q < stride; q++) {
        int from = p * stride + q;
        int to = from + p * stride;
        yRe[to] = xRe[from] + xRe[from + part];
        yIm[to] = xIm[from] + xIm[from + part];
        double re = xRe[from] - xRe[from + part];
        double im = xIm[from] - xIm[from + part];
        yRe[to + stride] = re * cos + im * sin;
        yIm[to + stride] = im * cos - re * sin;
      }
    }
  }

  /**
   * A stage of {@code stride} interleaved transforms of {@code radix * size} elements, for an odd
   * radix. Element k and its mirror image, radix - k, share cosines, and their sines differ in sign
   * only.
   */
  private void oddRadix(
      int radix, int size, int stride, double[] xRe, double[] xIm, double[] yRe, double[] yIm) {
    int part = size * stride;
    int half = radix / 2;
    double[] sumRe = new double[half + 1];
    double[] sumIm = new double[half + 1];
    double[] differenceRe = new double[half + 1];
    double[] differenceIm = new double[half + 1];
    for (int at = 0; at < part; at++) {
      double allRe = xRe[at];
      double allIm = xIm[at];
      for (int k = 1; k <= half; k++) {
        int one = at + k * part;
        int other = at + (radix - k) * part;
        sumRe[k] = xRe[one] + xRe[other];
        sumIm[k] = xIm[one] + xIm[other];
        differenceRe[k] = xRe[one] - xRe[other];
        differenceIm[k] = xIm[one] - xIm[other];
        allRe += sumRe[k];
        allIm += sumIm[k];
      }
      int twiddle = at / stride * stride;
      int to = at + (radix - 1) * twiddle;
      yRe[to] = allRe;
      yIm[to] = allIm;
      for (int j = 1; j <= half; j++) {
        double evenRe = xRe[at];
        double evenIm = xIm[at];
        double oddRe = 0;
        double oddIm = 0;
        for (int k = 1; k <= half; k++) {
          int angle = j * k % radix * (length / radix);
          evenRe += sumRe[k] * cosines[angle];
          evenIm += sumIm[k] * cosines[angle];
          oddRe += differenceIm[k] * sines[angle];
          oddIm -= differenceRe[k] * sines[angle];
        }
        turn(evenRe + oddRe, evenIm + oddIm, j * twiddle, yRe, yIm, to + j * stride);
        turn(
            evenRe - oddRe,
            evenIm - oddIm,
            (radix - j) * twiddle,
            yRe,
            yIm,
            to + (radix - j) * stride);
      }
    }
  }

  /** Writes a result of a stage, turned back by {@code angle} elements of the circle. */
  private void turn(double re, double im, int angle, double[] yRe, double[] yIm, int to) {
    yRe[to] = re * cosines[angle] + im * sines[angle];
    yIm[to] = im * cosines[angle] - re * sines[angle];
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
