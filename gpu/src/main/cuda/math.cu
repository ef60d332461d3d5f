// Math functions of doubles for the kernels that Headrace writes; math.py compiles them to PTX. They use arithmetic
// and bits only, no library, so that their results are the same on each GPU. A pair (high, low) stands for the sum of
// two doubles of which the second is below the rounding error of the first. "Bound" is the largest error, in units of
// the result's last place; the tests hold the functions to it.

typedef unsigned long long u64;
#define INLINE static __device__ __forceinline__
#define FUNCTION extern "C" __device__ double

struct Pair {
  double high;
  double low;
};

INLINE u64 bits(double x) { return (u64)__double_as_longlong(x); }
INLINE double number(u64 b) { return __longlong_as_double((long long)b); }
INLINE double size(double x) { return number(bits(x) & 0x7fffffffffffffffull); }
INLINE double signedAs(double x, double sign) {
  return number((bits(x) & 0x7fffffffffffffffull) | (bits(sign) & 0x8000000000000000ull));
}
INLINE double infinity() { return number(0x7ff0000000000000ull); }
INLINE double nan() { return number(0x7ff8000000000000ull); }
INLINE double fma(double a, double b, double c) { return __fma_rn(a, b, c); }

// The nearest integer of a number below 2^51.
INLINE double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// The nearest integer of any number; ties to even.
INLINE double rounded(double x) { return size(x) < 0x1p51 ? nearest(x) : x; }

INLINE double powerOfTwo(int k) { return number((u64)(k + 1023) << 52); }

// x 2^k, rounded once, for k from -2000 to 2000.
INLINE double scaled(double x, int k) {
  int half = k >> 1;
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

// Pairs

// The exact sum where a is 0 or has the larger exponent.
INLINE Pair fastSum(double a, double b) {
  double high = a + b;
  return {high, b - (high - a)};
}

INLINE Pair sum(double a, double b) {
  double high = a + b;
  double other = high - a;
  return {high, (a - (high - other)) + (b - other)};
}

INLINE Pair add(Pair a, Pair b) {
  Pair s = sum(a.high, b.high);
  return fastSum(s.high, s.low + (a.low + b.low));
}

INLINE Pair product(double a, double b) {
  double high = a * b;
  return {high, fma(a, b, -high)};
}

INLINE Pair multiply(Pair a, Pair b) {
  Pair p = product(a.high, b.high);
  return fastSum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

INLINE Pair divide(Pair a, Pair b) {
  double quotient = a.high / b.high;
  double rest = fma(-quotient, b.high, a.high) + a.low - quotient * b.low;
  return fastSum(quotient, rest / b.high);
}

INLINE Pair negate(Pair a) { return {-a.high, -a.low}; }

// Exponentials

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

// Trigonometry

// The bits of 2/pi, behind 64 zeros.
static __device__ const u64 TWO_OVER_PI[21] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
    0xf0cfbc209af4361dull};

INLINE u64 window(int word, int shift) {
  u64 high = TWO_OVER_PI[word];
  return shift == 0 ? high : (high << shift) | (TWO_OVER_PI[word + 1] >> (64 - shift));
}

// The angle from the nearest multiple of pi/2, and that multiple modulo 4. The reduction of Payne and Hanek: of x 2/pi
// only the bits below the weight of 4 count, of which 190 are behind the point.
INLINE Pair reduced(double x, int* quadrant) {
  double a = size(x);
  if (a < 0.78) {
    *quadrant = 0;
    return {x, 0};
  }
  u64 b = bits(a);
  u64 m = (b & 0x000fffffffffffffull) | 0x0010000000000000ull;
  int at = (int)(b >> 52) - 1075 + 62;
  int word = at >> 6;
  int shift = at & 63;
  u64 w2 = window(word, shift);
  u64 w1 = window(word + 1, shift);
  u64 w0 = window(word + 2, shift);
  u64 p0 = m * w0;
  u64 p1 = m * w1;
  u64 carried = __umul64hi(m, w0);
  u64 middle = p1 + carried;
  u64 p2 = m * w2 + __umul64hi(m, w1) + (middle < p1 ? 1 : 0);
  int n = (int)(p2 >> 62);
  u64 f2 = (p2 << 2) | (middle >> 62);
  u64 f1 = (middle << 2) | (p0 >> 62);
  u64 f0 = p0 << 2;
  bool above = (f2 >> 63) != 0;
  if (above) {
    n++;
    f2 = ~f2;
    f1 = ~f1;
    f0 = ~f0;
  }
  int zeros = f2 == 0 ? 64 : __clzll((long long)f2);
  if (zeros == 64) {
    f2 = f1;
    f1 = f0;
    f0 = 0;
    int more = __clzll((long long)f2);
    zeros += more;
    if (more != 0) {
      f2 = (f2 << more) | (f1 >> (64 - more));
      f1 <<= more;
    }
  } else if (zeros != 0) {
    f2 = (f2 << zeros) | (f1 >> (64 - zeros));
    f1 = (f1 << zeros) | (f0 >> (64 - zeros));
  }
  // 64 + 42 bits, in parts that doubles have.
  double unit = powerOfTwo(-64 - zeros);
  double first = (double)(f2 >> 11) * (unit * 0x1p11);
  double second = (double)(((f2 & 0x7ff) << 42) | (f1 >> 22)) * (unit * 0x1p-42);
  Pair angle = multiply(fastSum(first, second), {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  bool flipped = above != ((bits(x) >> 63) != 0);
  *quadrant = ((bits(x) >> 63) != 0 ? -n : n) & 3;
  return flipped ? negate(angle) : angle;
}

// The sine of an angle of at most pi/4.
INLINE Pair sineOf(Pair r) {
  double x = r.high;
  double z = x * x;
  double q = -1.0 / 121645100408832000;
  q = fma(q, z, 1.0 / 355687428096000);
  q = fma(q, z, -1.0 / 1307674368000);
  q = fma(q, z, 1.0 / 6227020800);
  q = fma(q, z, -1.0 / 39916800);
  q = fma(q, z, 1.0 / 362880);
  q = fma(q, z, -1.0 / 5040);
  q = fma(q, z, 1.0 / 120);
  q = fma(q, z, -1.0 / 6);
  return fastSum(x, fma(x * z, q, r.low * (1 - 0.5 * z)));
}

INLINE Pair cosineOf(Pair r) {
  double x = r.high;
  Pair square = product(x, x);
  double z = square.high;
  double q = 1.0 / 2432902008176640000;
  q = fma(q, z, -1.0 / 6402373705728000);
  q = fma(q, z, 1.0 / 20922789888000);
  q = fma(q, z, -1.0 / 87178291200);
  q = fma(q, z, 1.0 / 479001600);
  q = fma(q, z, -1.0 / 3628800);
  q = fma(q, z, 1.0 / 40320);
  q = fma(q, z, -1.0 / 720);
  q = fma(q, z, 1.0 / 24);
  Pair near = fastSum(1, -0.5 * z);
  return fastSum(near.high, near.low + (z * z * q - 0.5 * square.low - x * r.low));
}

INLINE double sineFrom(double x, int turns) {
  if (!(size(x) < infinity())) {
    return nan();
  }
  int quadrant;
  Pair r = reduced(x, &quadrant);
  quadrant += turns;
  Pair value = (quadrant & 1) ? cosineOf(r) : sineOf(r);
  double result = value.high + value.low;
  return (quadrant & 2) ? -result : result;
}

INLINE double sine(double x) { return x == 0 ? x : sineFrom(x, 0); }

// Bound: 0.7.
FUNCTION headrace_sin(double x) { return sine(x); }

// Bound: 0.7.
FUNCTION headrace_cos(double x) { return sineFrom(x, 1); }

INLINE double tangent(double x) {
  if (!(size(x) < infinity())) {
    return nan();
  }
  if (size(x) < 0x1p-30) {
    return x;
  }
  int quadrant;
  Pair r = reduced(x, &quadrant);
  Pair s = sineOf(r);
  Pair c = cosineOf(r);
  Pair t = (quadrant & 1) ? negate(divide(c, s)) : divide(s, c);
  return t.high + t.low;
}

// Bound: 0.9.
FUNCTION headrace_tan(double x) { return tangent(x); }

// atan(k / 8).
static __device__ const double ARC_HIGH[9] = {
    0x0.0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2,
    0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
static __device__ const double ARC_LOW[9] = {
    0x0.0p+0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56,
    -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};

// The angle of (x, y), both positive, neither much larger: atan(c) + atan((y - c x) / (x + c y)) of the next c = k/8.
INLINE Pair octant(Pair y, Pair x) {
  int k = (int)nearest(y.high / x.high * 8);
  double c = k * 0.125;
  Pair numerator = add(y, negate(multiply({c, 0}, x)));
  Pair denominator = add(x, multiply({c, 0}, y));
  Pair u = divide(k == 0 ? y : numerator, k == 0 ? x : denominator);
  double z = u.high * u.high;
  double q = 1.0 / 17;
  q = fma(q, z, -1.0 / 15);
  q = fma(q, z, 1.0 / 13);
  q = fma(q, z, -1.0 / 11);
  q = fma(q, z, 1.0 / 9);
  q = fma(q, z, -1.0 / 7);
  q = fma(q, z, 1.0 / 5);
  q = fma(q, z, -1.0 / 3);
  Pair arc = fastSum(u.high, fma(u.high * z, q, u.low));
  return add({ARC_HIGH[k], ARC_LOW[k]}, arc);
}

// The angle of (x, y) from 0 to pi, for y of at least 0, both finite and not both 0.
INLINE double angle(Pair y, Pair x) {
  bool left = x.high < 0;
  Pair a = left ? negate(x) : x;
  bool steep = y.high > a.high;
  Pair small = steep ? a : y;
  Pair large = steep ? y : a;
  double ratio = small.high / large.high;
  if (ratio < 0x1p-28 && !steep && !left) {
    return ratio;
  }
  Pair arc = {ratio, 0};
  if (ratio >= 0x1p-28) {
    double scale = large.high > 0x1p900 ? 0x1p-200 : large.high < 0x1p-800 ? 0x1p200 : 1;
    arc = octant({small.high * scale, small.low * scale}, {large.high * scale, large.low * scale});
  }
  if (steep) {
    arc = add({0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, negate(arc));
  }
  if (left) {
    arc = add({0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, negate(arc));
  }
  return arc.high + arc.low;
}

// Bound: 0.7.
FUNCTION headrace_atan2(double y, double x) {
  if (x != x || y != y) {
    return nan();
  }
  double a = size(y);
  double b = x;
  if (a == infinity() || size(b) == infinity()) {
    a = a == infinity() ? 1 : 0;
    b = size(b) == infinity() ? signedAs(1, b) : signedAs(0, b);
  }
  if (a == 0 && b == 0) {
    return signedAs((bits(b) >> 63) != 0 ? 0x1.921fb54442d18p+1 : 0, y);
  }
  if (a == 0 && b > 0) {
    return signedAs(0, y);
  }
  return signedAs(angle({a, 0}, {b, 0}), y);
}

// Bound: 0.7.
FUNCTION headrace_atan(double x) {
  double a = size(x);
  if (a != a || a < 0x1p-28) {
    return x;
  }
  return a > 0x1p60 ? signedAs(0x1.921fb54442d18p+0, x) : signedAs(angle({a, 0}, {1, 0}), x);
}

// sqrt(1 - x^2) as a pair, for |x| of at most 1.
INLINE Pair leg(double x) {
  Pair square = product(x, x);
  Pair rest = sum(1, -square.high);
  rest = fastSum(rest.high, rest.low - square.low);
  if (rest.high <= 0) {
    return {0, 0};
  }
  double root = __dsqrt_rn(rest.high);
  return fastSum(root, (fma(-root, root, rest.high) + rest.low) / (2 * root));
}

// Bound: 0.7.
FUNCTION headrace_asin(double x) {
  double a = size(x);
  if (!(a <= 1)) {
    return nan();
  }
  return a < 0x1p-28 ? x : signedAs(angle({a, 0}, leg(x)), x);
}

// Bound: 0.7.
FUNCTION headrace_acos(double x) {
  if (!(size(x) <= 1)) {
    return nan();
  }
  return x == 1 ? 0 : angle(leg(x), {x, 0});
}

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
