// Hyperbolic functions

// exp(x) / 2 + sign exp(-x) / 2 for x from 0 to 22.
INLINE double halfSum(double x, double sign) {
  int k;
  Pair e = exponential(x, 0, &k);
  double half = powerOfTwo(k - 1);
  Pair grown = {e.high * half, e.low * half};
  Pair inverse = divide({0.25 * sign, 0}, grown);
  Pair whole = add(grown, inverse);
  return whole.high + whole.low;
}

// exp(x) / 2 for larger x.
INLINE double halfExponential(double x) {
  if (!(x < 711)) {
    return x != x ? x : infinity();
  }
  int k;
  Pair e = exponential(x, 0, &k);
  return scaled(e.high + e.low, k - 1);
}

// Bound: 0.9.
FUNCTION headrace_sinh(double x) {
  double a = size(x);
  if (a != a || a < 0x1p-28) {
    return x;
  }
  if (a < 1) {
    double z = x * x;
    double q = 1.0 / 121645100408832000;
    q = fma(q, z, 1.0 / 355687428096000);
    q = fma(q, z, 1.0 / 1307674368000);
    q = fma(q, z, 1.0 / 6227020800);
    q = fma(q, z, 1.0 / 39916800);
    q = fma(q, z, 1.0 / 362880);
    q = fma(q, z, 1.0 / 5040);
    q = fma(q, z, 1.0 / 120);
    q = fma(q, z, 1.0 / 6);
    return fma(x * z, q, x);
  }
  return signedAs(a < 22 ? halfSum(a, -1) : halfExponential(a), x);
}

// Bound: 0.7.
FUNCTION headrace_cosh(double x) {
  double a = size(x);
  return a < 22 ? halfSum(a, 1) : halfExponential(a);
}

// Bound: 0.9.
FUNCTION headrace_tanh(double x) {
  double a = size(x);
  if (a != a || a < 0x1p-28) {
    return x;
  }
  if (a > 22) {
    return signedAs(1, x);
  }
  Pair t = exponentialLessOne(2 * a);
  Pair quotient = divide(t, add(t, {2, 0}));
  return signedAs(quotient.high + quotient.low, x);
}

// Distances and remainders

// Bound: 1.
FUNCTION headrace_hypot(double x, double y) {
  double a = size(x);
  double b = size(y);
  double square = a * a + b * b;
  if (square > 0x1p-900 && square < 0x1p1000) {
    return __dsqrt_rn(square);
  }
  if (a == infinity() || b == infinity()) {
    return infinity();
  }
  double large = a > b ? a : b;
  double scale = large > 1 ? 0x1p-600 : 0x1p600;
  a *= scale;
  b *= scale;
  return __dsqrt_rn(a * a + b * b) * (large > 1 ? 0x1p600 : 0x1p-600);
}

// The mantissa of a positive finite number as an integer; e is the exponent of its last bit.
INLINE u64 mantissa(double x, int* e) {
  u64 b = bits(x);
  int exponent = (int)(b >> 52);
  *e = exponent == 0 ? -1074 : exponent - 1075;
  u64 fraction = b & 0x000fffffffffffffull;
  return exponent == 0 ? fraction : fraction | 0x0010000000000000ull;
}

// The remainder of x by y with the sign of x, exact: a long division of integers, by 11 bits a step.
FUNCTION headrace_fmod(double x, double y) {
  double a = size(x);
  double b = size(y);
  if (!(a < infinity()) || b != b || b == 0) {
    return nan();
  }
  if (a < b) {
    return x;
  }
  int high;
  int low;
  u64 rest = mantissa(a, &high);
  u64 divisor = mantissa(b, &low);
  rest %= divisor;
  for (int left = high - low; left > 0 && rest != 0; left -= 11) {
    rest = (rest << (left < 11 ? left : 11)) % divisor;
  }
  return signedAs(scaled((double)(long long)rest, low), x);
}
