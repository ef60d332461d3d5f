// Trigonometry.

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
