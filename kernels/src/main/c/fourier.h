/*
 * Fourier transforms in stages (Stockham's autosort algorithm): ComplexFft.java and RealFft.java explain them. Included
 * for each LEVEL.
 */
#ifndef FOURIER_H
#define FOURIER_H

/* Real and imaginary parts. */
struct parts {
  double *restrict re;
  double *restrict im;
};
#endif

/* A butterfly of radix 4: `from` and `to` index its first element, `part` and `stride` lead to the others. */
#define BUTTERFLY4(from, part, to, stride, cos1, sin1, cos2, sin2, cos3, sin3)        \
  do {                                                                                \
    double aRe = xRe[from], aIm = xIm[from];                                          \
    double bRe = xRe[(from) + (part)], bIm = xIm[(from) + (part)];                    \
    double cRe = xRe[(from) + 2 * (part)], cIm = xIm[(from) + 2 * (part)];            \
    double dRe = xRe[(from) + 3 * (part)], dIm = xIm[(from) + 3 * (part)];            \
    double sumRe = aRe + cRe, sumIm = aIm + cIm;                                      \
    double differenceRe = aRe - cRe, differenceIm = aIm - cIm;                        \
    double oddSumRe = bRe + dRe, oddSumIm = bIm + dIm;                                \
    double turnedRe = bIm - dIm, turnedIm = dRe - bRe;                                \
    yRe[to] = sumRe + oddSumRe;                                                       \
    yIm[to] = sumIm + oddSumIm;                                                       \
    double y1Re = differenceRe + turnedRe, y1Im = differenceIm + turnedIm;            \
    yRe[(to) + (stride)] = y1Re * (cos1) + y1Im * (sin1);                             \
    yIm[(to) + (stride)] = y1Im * (cos1) - y1Re * (sin1);                             \
    double y2Re = sumRe - oddSumRe, y2Im = sumIm - oddSumIm;                          \
    yRe[(to) + 2 * (stride)] = y2Re * (cos2) + y2Im * (sin2);                         \
    yIm[(to) + 2 * (stride)] = y2Im * (cos2) - y2Re * (sin2);                         \
    double y3Re = differenceRe - turnedRe, y3Im = differenceIm - turnedIm;            \
    yRe[(to) + 3 * (stride)] = y3Re * (cos3) + y3Im * (sin3);                         \
    yIm[(to) + 3 * (stride)] = y3Im * (cos3) - y3Re * (sin3);                         \
  } while (0)

static void LEVEL(radix4)(
    int64_t quarter, int64_t stride, const double *restrict cosines, const double *restrict sines,
    const double *restrict xRe, const double *restrict xIm, double *restrict yRe, double *restrict yIm) {
  int64_t part = quarter * stride;
  if (stride == 1) {
    for (int64_t p = 0; p < quarter; p++) {
      BUTTERFLY4(
          p, quarter, 4 * p, 1, cosines[p], sines[p], cosines[2 * p], sines[2 * p], cosines[3 * p], sines[3 * p]);
    }
    return;
  }
  for (int64_t p = 0; p < quarter; p++) {
    int64_t w = p * stride;
    double cos1 = cosines[w], sin1 = sines[w];
    double cos2 = cosines[2 * w], sin2 = sines[2 * w];
    double cos3 = cosines[3 * w], sin3 = sines[3 * w];
    if (stride == 4) {
      for (int64_t q = 0; q < 4; q++) {
        BUTTERFLY4(4 * p + q, part, 16 * p + q, 4, cos1, sin1, cos2, sin2, cos3, sin3);
      }
    } else {
      for (int64_t q = 0; q < stride; q++) {
        BUTTERFLY4(w + q, part, 4 * w + q, stride, cos1, sin1, cos2, sin2, cos3, sin3);
      }
    }
  }
}
#undef BUTTERFLY4

static void LEVEL(radix2)(
    int64_t half, int64_t stride, const double *restrict cosines, const double *restrict sines,
    const double *restrict xRe, const double *restrict xIm, double *restrict yRe, double *restrict yIm) {
  int64_t part = half * stride;
  for (int64_t p = 0; p < half; p++) {
    double cosine = cosines[p * stride], sine = sines[p * stride];
    for (int64_t q = 0; q < stride; q++) {
      int64_t from = p * stride + q, to = from + p * stride;
      double re = xRe[from] - xRe[from + part], im = xIm[from] - xIm[from + part];
      yRe[to] = xRe[from] + xRe[from + part];
      yIm[to] = xIm[from] + xIm[from + part];
      yRe[to + stride] = re * cosine + im * sine;
      yIm[to + stride] = im * cosine - re * sine;
    }
  }
}

/* An odd radix, 13 at most. */
static void LEVEL(odd_radix)(
    int64_t radix, int64_t size, int64_t stride, int64_t length, const double *restrict cosines,
    const double *restrict sines, const double *restrict xRe, const double *restrict xIm, double *restrict yRe,
    double *restrict yIm) {
  int64_t part = size * stride, half = radix / 2;
  double sumRe[7], sumIm[7], differenceRe[7], differenceIm[7];
  for (int64_t p = 0; p < size; p++) {
    for (int64_t q = 0; q < stride; q++) {
      int64_t at = p * stride + q;
      double allRe = xRe[at], allIm = xIm[at];
      for (int64_t k = 1; k <= half; k++) {
        int64_t one = at + k * part, other = at + (radix - k) * part;
        sumRe[k] = xRe[one] + xRe[other];
        sumIm[k] = xIm[one] + xIm[other];
        differenceRe[k] = xRe[one] - xRe[other];
        differenceIm[k] = xIm[one] - xIm[other];
        allRe += sumRe[k];
        allIm += sumIm[k];
      }
      int64_t twiddle = p * stride, to = at + (radix - 1) * twiddle;
      yRe[to] = allRe;
      yIm[to] = allIm;
      for (int64_t j = 1; j <= half; j++) {
        double evenRe = xRe[at], evenIm = xIm[at], oddRe = 0, oddIm = 0;
        for (int64_t k = 1; k <= half; k++) {
          int64_t angle = j * k % radix * (length / radix);
          evenRe += sumRe[k] * cosines[angle];
          evenIm += sumIm[k] * cosines[angle];
          oddRe += differenceIm[k] * sines[angle];
          oddIm -= differenceRe[k] * sines[angle];
        }
        int64_t up = j * twiddle, down = (radix - j) * twiddle;
        double re = evenRe + oddRe, im = evenIm + oddIm;
        yRe[to + j * stride] = re * cosines[up] + im * sines[up];
        yIm[to + j * stride] = im * cosines[up] - re * sines[up];
        re = evenRe - oddRe;
        im = evenIm - oddIm;
        yRe[to + (radix - j) * stride] = re * cosines[down] + im * sines[down];
        yIm[to + (radix - j) * stride] = im * cosines[down] - re * sines[down];
      }
    }
  }
}

/* Transforms x, with y as memory of the same size; returns which of them has the result. */
static struct parts LEVEL(stages)(
    struct parts x, struct parts y, int64_t length, const int32_t *radices, int64_t count, const double *cosines,
    const double *sines) {
  int64_t stride = 1;
  for (int64_t i = 0; i < count; i++) {
    int64_t radix = radices[i], part = length / stride / radix;
    if (radix == 4) {
      LEVEL(radix4)(part, stride, cosines, sines, x.re, x.im, y.re, y.im);
    } else if (radix == 2) {
      LEVEL(radix2)(part, stride, cosines, sines, x.re, x.im, y.re, y.im);
    } else {
      LEVEL(odd_radix)(radix, part, stride, length, cosines, sines, x.re, x.im, y.re, y.im);
    }
    stride *= radix;
    struct parts other = x;
    x = y;
    y = other;
  }
  return x;
}

/* Transforms `length` numbers in place; `work` has twice as many. */
EXPORT void LEVEL(headrace_fourier)(
    double *re, double *im, double *work, int64_t length, const int32_t *radices, int64_t count,
    const double *cosines, const double *sines) {
  struct parts x = {re, im}, y = {work, work + length};
  struct parts result = LEVEL(stages)(x, y, length, radices, count, cosines, sines);
  if (result.re != re) {
    memcpy(re, result.re, sizeof(double) * length);
    memcpy(im, result.im, sizeof(double) * length);
  }
}

/*
 * The spectra of `lines` real sequences of 2 * half numbers, `step` numbers from one to the next, each as half + 1
 * complex numbers. The first arrays of cosines and sines are those of the transform of `half` numbers, the others those
 * of the whole circle. `work` has 4 * half numbers.
 */
EXPORT void LEVEL(headrace_real_fourier)(
    const float *restrict in, int64_t step, int64_t lines, int64_t half, const int32_t *radices, int64_t count,
    const double *cosines, const double *sines, const double *restrict wholeCosines,
    const double *restrict wholeSines, double *work, float *restrict out) {
  struct parts x = {work, work + half}, y = {work + 2 * half, work + 3 * half};
  for (int64_t line = 0; line < lines; line++) {
    for (int64_t i = 0; i < half; i++) {
      x.re[i] = in[2 * i];
      x.im[i] = in[2 * i + 1];
    }
    struct parts z = LEVEL(stages)(x, y, half, radices, count, cosines, sines);
    const double *restrict re = z.re, *restrict im = z.im;
    out[0] = (float)(re[0] + im[0]);
    out[1] = 0;
    for (int64_t i = 1; i < half; i++) {
      int64_t j = half - i;
      double evenRe = (re[i] + re[j]) / 2, evenIm = (im[i] - im[j]) / 2;
      double oddRe = (im[i] + im[j]) / 2, oddIm = (re[j] - re[i]) / 2;
      out[2 * i] = (float)(evenRe + oddRe * wholeCosines[i] + oddIm * wholeSines[i]);
      out[2 * i + 1] = (float)(evenIm + oddIm * wholeCosines[i] - oddRe * wholeSines[i]);
    }
    out[2 * half] = (float)(re[0] - im[0]);
    out[2 * half + 1] = 0;
    in += step;
    out += 2 * half + 2;
  }
}
