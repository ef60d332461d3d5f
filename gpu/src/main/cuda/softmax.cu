// Softmax and its logarithm of each row, in doubles, rounded once. Sums have an order that only the sizes decide, so that
// results are the same from run to run.

#include "elements.cuh"
#include "groups.cuh"
#include "powers.cuh"

// Zeros of both signs are alike here.
struct LargestOrNan {
  INLINE_MEMBER double combine(double a, double b) { return (b > a) | (b != b) ? b : a; }
};

// Calls `each` with the elements of a thread, of a row, at least one.
template <typename F>
INLINE void eachOfRow(bool isRow, u32 begin, u32 end, int lanes, F each) {
  if (isRow) {
    u32 i = begin;
    do {
      each(i);
      i += (u32)lanes;
    } while (i < end);
  }
}

// Rows of `width` elements, at least `lanes`, each by a group of `lanes` threads, a power of 2. Blocks have 256 threads.
template <bool isLog>
INLINE void softmaxOfRows(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  __shared__ double partial[BLOCK];
  u32 lane = threadIdx.x & (u32)(lanes - 1);
  u32 groups = BLOCK / (u32)lanes, group = threadIdx.x / (u32)lanes;
  u32 first = blockIdx.x * groups;
  do {
    u32 row = first + group;
    bool isRow = row < rows;
    u32 begin = row * width + lane, end = row * width + width;
    double largest = -infinity();
    eachOfRow(isRow, begin, end, lanes,
              [&](u32 i) { largest = LargestOrNan::combine(largest, load(from, dtype, (int)i, 0.0)); });
    combineGroups<LargestOrNan>(partial, largest, lanes);
    largest = partial[threadIdx.x - lane];
    __syncthreads();
    double total = 0;
    eachOfRow(isRow, begin, end, lanes,
              [&](u32 i) { total += headrace_exp(load(from, dtype, (int)i, 0.0) - largest); });
    combineGroups<Sum>(partial, total, lanes);
    total = partial[threadIdx.x - lane];
    __syncthreads();
    double log = isLog ? headrace_log(total) : 0;
    eachOfRow(isRow, begin, end, lanes, [&](u32 i) {
      double shifted = load(from, dtype, (int)i, 0.0) - largest;
      store(to, dtype, i, isLog ? shifted - log : headrace_exp(shifted) / total, 0);
    });
    first += gridDim.x * groups;
  } while (first < rows);
}

KERNEL softmax(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  softmaxOfRows<false>(from, to, rows, width, lanes, dtype);
}

KERNEL logSoftmax(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  softmaxOfRows<true>(from, to, rows, width, lanes, dtype);
}
