// Reductions along any axes. Floats are accumulated as doubles and integers as 64-bit integers, in an order that only
// the sizes decide, so that results are the same from run to run. Blocks have 256 threads, and a launch has one dimension
// and any number of blocks.

#include "elements.cuh"
#include "groups.cuh"

// The elements that an output combines: `length` ones, with up to 4 dimensions, of which `rank` have a meaning, and the
// place of the first, by the output's index in up to 4 dimensions that are kept.
#define SHAPE                                                                                            \
  int keptRank, int k1, int k2, int k3, int g0, int g1, int g2, int g3, int rank, int s1, int s2, int s3, \
      int f0, int f1, int f2, int f3
#define SHAPE_PASSED keptRank, k1, k2, k3, g0, g1, g2, g3, rank, s1, s2, s3, f0, f1, f2, f3

// Combines the elements of each output, by groups of `lanes` threads, a power of 2. The elements are cut into `parts`
// of `chunk` ones, the last of fewer, but each of at least `lanes`; the parts of an output become adjacent results. With
// a count, results are divided by it.
template <typename Op, typename A>
INLINE void reduce(const void *from, void *to, u32 outputs, u32 length, int lanes, u32 parts, u32 chunk, int fromType,
                   int toType, A identity, long long count, SHAPE) {
  __shared__ A partial[BLOCK];
  u32 lane = threadIdx.x & (u32)(lanes - 1);
  u32 groups = BLOCK / (u32)lanes, group = threadIdx.x / (u32)lanes;
  u32 results = outputs * parts;
  u32 first = blockIdx.x * groups;
  do {
    u32 result = first + group;
    A total = identity;
    if (result < results) {
      u32 output = result / parts, part = result - output * parts;
      int base = distance(output, keptRank, k1, k2, k3, g0, g1, g2, g3);
      u32 end = min(part * chunk + chunk, length);
      u32 i = part * chunk + lane;
      do {
        total = Op::combine(
            total, load(from, fromType, base + distance(i, rank, s1, s2, s3, f0, f1, f2, f3), A()));
        i += (u32)lanes;
      } while (i < end);
    }
    combineGroups<Op>(partial, total, lanes);
    if (lane == 0 && result < results) store(to, toType, result, partial[threadIdx.x], count);
    first += gridDim.x * groups;
  } while (first < results);
}

// The index of the largest or smallest element of each output, by groups of `lanes` threads. The first of equal ones
// wins, and NaN loses to all numbers.
template <bool isLargest, typename A>
INLINE bool isBefore(A a, u32 i, A b, u32 j) {
  bool aIsNumber = a == a, bIsNumber = b == b;
  if (aIsNumber != bIsNumber) return aIsNumber;
  if (aIsNumber && a != b) return isLargest ? a > b : a < b;
  return i < j;
}

template <bool isLargest, typename A>
INLINE void argument(const void *from, void *to, u32 outputs, u32 length, int lanes, int fromType, int toBytes,
                     SHAPE) {
  __shared__ A best[BLOCK];
  __shared__ u32 place[BLOCK];
  u32 lane = threadIdx.x & (u32)(lanes - 1);
  u32 groups = BLOCK / (u32)lanes, group = threadIdx.x / (u32)lanes;
  u32 first = blockIdx.x * groups;
  do {
    u32 output = first + group;
    u32 at = lane;
    A value = 0;
    if (output < outputs) {
      // What is kept lies before the axis or behind it.
      int base = keptRank > 1 ? (int)(output / (u32)k1) * g0 + (int)(output % (u32)k1) * g1 : (int)output * g0;
      // There are at least as many elements as lanes. The first is met again, which changes nothing.
      value = load(from, fromType, base + (int)lane * f0, A());
      u32 i = lane;
      do {
        A next = load(from, fromType, base + (int)i * f0, A());
        if (isBefore<isLargest>(next, i, value, at)) {
          value = next;
          at = i;
        }
        i += (u32)lanes;
      } while (i < length);
    }
    best[threadIdx.x] = value;
    place[threadIdx.x] = at;
    __syncthreads();
    u32 half = (u32)lanes / 2;
    do {
      u32 other = threadIdx.x + half;
      if (lane < half && isBefore<isLargest>(best[other], place[other], best[threadIdx.x], place[threadIdx.x])) {
        best[threadIdx.x] = best[other];
        place[threadIdx.x] = place[other];
      }
      __syncthreads();
      half /= 2;
    } while (half > 0);
    if (lane == 0 && output < outputs) {
      if (toBytes == 2) ((u16 *)to)[output] = (u16)place[threadIdx.x];
      if (toBytes == 4) ((u32 *)to)[output] = place[threadIdx.x];
      if (toBytes == 8) ((u64 *)to)[output] = place[threadIdx.x];
    }
    first += gridDim.x * groups;
  } while (first < outputs);
}

#define REDUCTION(name, Op, A)                                                                                    \
  KERNEL name(const void *from, void *to, u32 outputs, u32 length, int lanes, u32 parts, u32 chunk, int fromType, \
              int toType, A identity, long long count, SHAPE) {                                                   \
    reduce<Op, A>(from, to, outputs, length, lanes, parts, chunk, fromType, toType, identity, count,              \
                  SHAPE_PASSED);                                                                                  \
  }
#define ARGUMENT(name, isLargest, A)                                                                              \
  KERNEL name(const void *from, void *to, u32 outputs, u32 length, int lanes, int fromType, int toBytes, SHAPE) { \
    argument<isLargest, A>(from, to, outputs, length, lanes, fromType, toBytes, SHAPE_PASSED);                    \
  }

REDUCTION(sumOfFloats, Sum, double)
REDUCTION(sumOfIntegers, Sum, long long)
REDUCTION(productOfFloats, Product, double)
REDUCTION(productOfIntegers, Product, long long)
REDUCTION(largestOfFloats, Largest, double)
REDUCTION(largestOfIntegers, Largest, long long)
REDUCTION(smallestOfFloats, Smallest, double)
REDUCTION(smallestOfIntegers, Smallest, long long)
ARGUMENT(argMaxOfFloats, true, double)
ARGUMENT(argMaxOfIntegers, true, long long)
ARGUMENT(argMinOfFloats, false, double)
ARGUMENT(argMinOfIntegers, false, long long)
