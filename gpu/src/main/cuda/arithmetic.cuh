// Bits of doubles, and pairs (high, low), which stand for the sum of two doubles of which the second is below the
// rounding error of the first.

typedef unsigned long long u64;
#define INLINE static __device__ __forceinline__
// Called, not inlined: a kernel has one of each.
#define FUNCTION extern "C" __device__ __noinline__ double

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
INLINE double rounded(double x) { return size(x) < 0x1p52 ? signedAs((size(x) + 0x1p52) - 0x1p52, x) : x; }

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
