// Exponentials, logarithms and powers.

#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define LOG2_E 0x1.71547652b82fep+0

// exp(x) = 2^k (1 + high + low), by k = x / ln 2 rounded, and the Taylor series of the rest, which is below 0.35.
INLINE Pair lessOne(double x, double low, int* k) {
  double n = nearest(x * LOG2_E);
  *k = (int)n;
  double first = fma(-n, LN2_HIGH, x);
  Pair r = sum(first, -n * LN2_LOW + low);
  double t = r.high;
  double q = 1.0 / 87178291200;
  q = fma(q, t, 1.0 / 6227020800);
  q = fma(q, t, 1.0 / 479001600);
  q = fma(q, t, 1.0 / 39916800);
  q = fma(q, t, 1.0 / 3628800);
  q = fma(q, t, 1.0 / 362880);
  q = fma(q, t, 1.0 / 40320);
  q = fma(q, t, 1.0 / 5040);
  q = fma(q, t, 1.0 / 720);
  q = fma(q, t, 1.0 / 120);
  q = fma(q, t, 1.0 / 24);
  q = fma(q, t, 1.0 / 6);
  Pair square = product(t, t);
  double rest = fma(t * square.high, q, 0.5 * square.low) + r.low * (1 + t);
  return add(fastSum(t, 0.5 * square.high), {rest, 0});
}

// The mantissa of exp(x + low), about 0.7 to 1.4.
INLINE Pair exponential(double x, double low, int* k) {
  Pair p = lessOne(x, low, k);
  Pair whole = fastSum(1, p.high);
  return fastSum(whole.high, whole.low + p.low);
}

INLINE double exponentialOf(double x, double low) {
  if (!(x < 709.8)) {
    return x != x ? x : infinity();
  }
  if (x < -745.2) {
    return 0;
  }
  int k;
  Pair p = exponential(x, low, &k);
  return scaled(p.high + p.low, k);
}

// Bound: 0.6; 1 below the least normal number.
FUNCTION headrace_exp(double x) { return exponentialOf(x, 0); }

// exp(x) - 1 as a pair, for x from -40 to 60.
INLINE Pair exponentialLessOne(double x) {
  int k;
  Pair p = lessOne(x, 0, &k);
  if (k == 0) {
    return p;
  }
  double power = powerOfTwo(k);
  return add(sum(power, -1), {power * p.high, power * p.low});
}

// Bound: 1.
FUNCTION headrace_expm1(double x) {
  if (x == 0 || x != x) {
    return x;
  }
  if (x > 60) {
    return exponentialOf(x, 0);
  }
  if (x < -40) {
    return -1;
  }
  if (size(x) < 0x1p-54) {
    return x;
  }
  Pair p = exponentialLessOne(x);
  return p.high + p.low;
}

// Logarithms

// log(x) of a positive finite number, relative to 2^-63: with x = 2^e (1 + f), log(1 + f) = 2 atanh(f / (2 + f)).
INLINE Pair logarithm(double x) {
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  u64 b = bits(x);
  // Mantissas from sqrt(2) on count to the next power of two.
  u64 shifted = b - 0x3fe6a09e667f3bcdull;
  e += (int)((long long)shifted >> 52);
  double m = number((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
  double f = m - 1;
  Pair s = divide({f, 0}, sum(2, f));
  Pair square = multiply(s, s);
  double z = square.high;
  double q = 2.0 / 25;
  q = fma(q, z, 2.0 / 23);
  q = fma(q, z, 2.0 / 21);
  q = fma(q, z, 2.0 / 19);
  q = fma(q, z, 2.0 / 17);
  q = fma(q, z, 2.0 / 15);
  q = fma(q, z, 2.0 / 13);
  q = fma(q, z, 2.0 / 11);
  q = fma(q, z, 2.0 / 9);
  q = fma(q, z, 2.0 / 7);
  q = fma(q, z, 2.0 / 5);
  Pair tail = multiply({0x1.5555555555555p-1, 0x1.5555555555555p-55}, square);
  tail = fastSum(tail.high, tail.low + z * z * q);
  Pair log = add({2 * s.high, 2 * s.low}, multiply(s, tail));
  double n = e;
  return e == 0 ? log : add(add({n * LN2_HIGH, 0}, product(n, LN2_LOW)), log);
}

// What is no positive finite number, or 1.
INLINE double logarithmOfOther(double x) {
  if (x == 0) {
    return -infinity();
  }
  return x > 0 ? x : nan();
}

INLINE bool isPositive(double x) { return x > 0 && x < infinity(); }

INLINE double logarithmOf(double x) {
  if (!isPositive(x)) {
    return logarithmOfOther(x);
  }
  Pair log = logarithm(x);
  return log.high + log.low;
}

// Bound: 0.6.
FUNCTION headrace_log(double x) { return logarithmOf(x); }

INLINE double logarithmOfOneMore(double x) {
  if (size(x) < 0x1p-30) {
    return x == 0 ? x : x - x * x * (0.5 - x / 3);
  }
  Pair whole = sum(1, x);
  if (!isPositive(whole.high)) {
    return logarithmOfOther(whole.high);
  }
  Pair log = logarithm(whole.high);
  return log.high + (log.low + whole.low / whole.high);
}

// Bound: 0.8.
FUNCTION headrace_log1p(double x) { return logarithmOfOneMore(x); }

// Powers

// 0 for no integer, 1 for an odd one, 2 for an even one.
INLINE int parity(double y) {
  double a = size(y);
  if (a >= 0x1p53) {
    return 2;
  }
  long long whole = (long long)a;
  return (double)whole != a ? 0 : (whole & 1) ? 1 : 2;
}

// Of positive finite x and finite y.
INLINE double finitePower(double x, double y) {
  Pair log = logarithm(x);
  double high = y * log.high;
  if (high > 710) {
    return infinity();
  }
  if (high < -746) {
    return 0;
  }
  return exponentialOf(high, fma(y, log.high, -high) + y * log.low);
}

// C's pow. Bound: 0.7; 1 below the least normal number.
FUNCTION headrace_pow(double x, double y) {
  if (y == 0 || x == 1) {
    return 1;
  }
  if (x != x || y != y) {
    return nan();
  }
  double a = size(x);
  if (size(y) == infinity()) {
    return a == 1 ? 1 : (a > 1) == (y > 0) ? infinity() : 0;
  }
  int kind = parity(y);
  bool negative = (bits(x) >> 63) != 0 && kind == 1;
  double power;
  if (a == 0 || a == infinity()) {
    power = (a == 0) == (y < 0) ? infinity() : 0;
  } else if (x < 0 && kind == 0) {
    return nan();
  } else {
    power = finitePower(a, y);
  }
  return negative ? -power : power;
}
