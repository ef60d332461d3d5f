// What groups of threads combine: each thread of a block of 256 puts a value into shared memory, and the values of
// `lanes` neighbors, a power of 2, are combined in an order that only their number decides.

#define BLOCK 256

struct Sum {
  template <typename A>
  INLINE_MEMBER A combine(A a, A b) { return a + b; }
};

struct Product {
  template <typename A>
  INLINE_MEMBER A combine(A a, A b) { return a * b; }
};

struct Largest {
  INLINE_MEMBER double combine(double a, double b) { return larger(a, b); }
  INLINE_MEMBER long long combine(long long a, long long b) { return a > b ? a : b; }
};

// NaN if either is; of zeros the negative one.
struct Smallest {
  INLINE_MEMBER double combine(double a, double b) {
    if (a != a) return a;
    if (a == b) return number(bits(a) | bits(b));
    return a < b ? a : b;
  }
  INLINE_MEMBER long long combine(long long a, long long b) { return a < b ? a : b; }
};

// Combines the values of a group into that of its first thread. All threads of the block take part.
template <typename Op, typename A>
INLINE void combineGroups(A *partial, A value, int lanes) {
  u32 lane = threadIdx.x & (u32)(lanes - 1);
  partial[threadIdx.x] = value;
  __syncthreads();
  u32 half = (u32)lanes / 2;
  do {
    if (lane < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
    half /= 2;
  } while (half > 0);
}
