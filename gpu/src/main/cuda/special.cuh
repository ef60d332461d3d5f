// Special functions, by the series and fractions of the CPU's

#define SQRT_PI 0x1.c5bf891b4ef6bp+0

INLINE double errorSeries(double x) {
  double term = x;
  double total = x;
  for (int n = 1; size(term) > size(total) * 0x1p-54; n++) {
    term *= 2 * x * x / (2 * n + 1);
    total += term;
  }
  return 2 / SQRT_PI * exponentialOf(-x * x, 0) * total;
}

INLINE double errorComplement(double x) {
  double root = 20 / x;
  double fraction = x;
  for (int k = (int)(root * root / 2) + 10; k >= 1; k--) {
    fraction = x + k / 2.0 / fraction;
  }
  double square = x * x;
  double lost = fma(x, x, -square);
  return exponentialOf(-square, 0) * (1 - lost) / SQRT_PI / fraction;
}

// Bound: 8.
FUNCTION headrace_erf(double x) {
  double a = size(x);
  if (x == 0 || x != x) {
    return x;
  }
  if (a < 2.5) {
    return errorSeries(x);
  }
  return signedAs(a >= 6 ? 1 : 1 - errorComplement(a), x);
}

// Bound: 16; 64 below the least normal number times 2^10.
FUNCTION headrace_erfc(double x) {
  double a = size(x);
  if (x != x || a < 0.8) {
    return x != x ? x : x == 0 ? 1 : 1 - errorSeries(x);
  }
  if (x < 0) {
    return a >= 6 ? 2 : 2 - errorComplement(a);
  }
  return x >= 28 ? 0 : errorComplement(x);
}

// (zeta(k) - 1) / k from k = 2 on.
static __device__ const double ZETA[32] = {
    0x1.4a34cc4a60fa6p-2, 0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6, 0x1.e404fc218f5f2p-8, 0x1.7add6eadb6c30p-9,
    0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, 0x1.d3fd4c76d2fc8p-13, 0x1.a127b0f17d65ap-14, 0x1.78de5bd7c81efp-15,
    0x1.580dcee66eb02p-16, 0x1.3cbc963ce2243p-17, 0x1.2597a39f34aacp-18, 0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20,
    0x1.e2600d93cfd2fp-22, 0x1.c76bbb3f07a4dp-23, 0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, 0x1.862c734df3eacp-26,
    0x1.7469daccfadcdp-27, 0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, 0x1.47b1679258d0ep-30, 0x1.3b15d2b2fc10cp-31,
    0x1.2f69a9fabe3e0p-32, 0x1.24932a337434cp-33, 0x1.1a7c26ec2523cp-34, 0x1.11116e693ed98p-35, 0x1.08424cbc543d8p-36,
    0x1.000026e3f644fp-37, 0x1.f07c514fc9f0ap-39};

// log |gamma(2 + z)|, for |z| of at most one half.
INLINE double gammaAboutTwo(double z) {
  double total = 0;
  for (int k = 33; k >= 2; k--) {
    double coefficient = ZETA[k - 2];
    total = total * z + ((k & 1) ? -coefficient : coefficient);
  }
  return z * (0.42278433509846713 + z * total);
}

INLINE double stirling(double x) {
  double z = 1 / (x * x);
  double q = 1.0 / 156;
  q = q * z - 691.0 / 360360;
  q = q * z + 1.0 / 1188;
  q = q * z - 1.0 / 1680;
  q = q * z + 1.0 / 1260;
  q = q * z - 1.0 / 360;
  q = q * z + 1.0 / 12;
  return (x - 0.5) * logarithmOf(x) - x + 0.9189385332046728 + q / x;
}

// Of a positive finite number.
INLINE double gammaOfPositive(double x) {
  if (x < 0.5) {
    return gammaAboutTwo(x) - logarithmOfOneMore(x) - logarithmOf(x);
  }
  if (x < 1.5) {
    return gammaAboutTwo(x - 1) - logarithmOfOneMore(x - 1);
  }
  if (x >= 10) {
    return stirling(x);
  }
  double near = x;
  double factors = 1;
  while (near > 2.5) {
    near -= 1;
    factors *= near;
  }
  return gammaAboutTwo(near - 2) + logarithmOf(factors);
}

// Bound: 8; below 0, where the function has zeros, 16 of the last place of 1 or of the terms that cancel.
FUNCTION headrace_lgamma(double x) {
  double a = size(x);
  if (!(a < infinity())) {
    return a;
  }
  if (x > 0) {
    return gammaOfPositive(x);
  }
  double fraction = x - rounded(x);
  if (fraction == 0) {
    return infinity();
  }
  double s = size(sine(0x1.921fb54442d18p+1 * fraction));
  return logarithmOf(0x1.921fb54442d18p+1) - logarithmOf(a) - logarithmOf(s) - gammaOfPositive(a);
}

// Of a positive number.
INLINE double digammaOfPositive(double x) {
  double total = 0;
  double large = x;
  for (; large < 12; large += 1) {
    total += 1 / large;
  }
  double z = 1 / (large * large);
  double q = (1.0 / 12) * z;
  q = (q - 691.0 / 32760) * z;
  q = (q + 1.0 / 132) * z;
  q = (q - 1.0 / 240) * z;
  q = (q + 1.0 / 252) * z;
  q = (q - 1.0 / 120) * z;
  q = (q + 1.0 / 12) * z;
  return logarithmOf(large) - 0.5 / large - q - total;
}

// Bound: 16 of the last place of the result or of 1, whichever is larger; below 0, also of the terms that cancel.
FUNCTION headrace_digamma(double x) {
  if (x != x) {
    return x;
  }
  if (x > 0) {
    return digammaOfPositive(x);
  }
  double fraction = x - rounded(x);
  if (fraction == 0 || x == -infinity()) {
    return nan();
  }
  return digammaOfPositive(1 - x) - 0x1.921fb54442d18p+1 / tangent(0x1.921fb54442d18p+1 * fraction);
}
