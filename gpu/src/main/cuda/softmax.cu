// Softmax and its logarithm of each row, and the losses of rows against the probabilities of their classes, in doubles,
// rounded once. Sums have an order that only the sizes decide, so that results are the same from run to run.

#include "elements.cuh"
#include "groups.cuh"
#include "powers.cuh"

// Zeros of both signs are alike here.
struct LargestOrNan {
  INLINE_MEMBER double combine(double a, double b) { return (b > a) | (b != b) ? b : a; }
};

// Calls `each` with the elements of a thread, of a row of `width`, at least `lanes`.
template <typename F>
INLINE void eachOfRow(u32 width, int lanes, F each) {
  u32 i = threadIdx.x & (u32)(lanes - 1);
  do {
    each(i);
    i += (u32)lanes;
  } while (i < width);
}

// Calls `each` for rows of `width` elements, at least `lanes`, each of a group of `lanes` threads, a power of 2, with the
// row's largest element and the sum of its exponentials. Blocks have 256 threads, and all of them make the calls, for rows
// behind the last one, too. There are `fromRows` rows to read, again and again.
template <typename F>
INLINE void eachRow(double *partial, const void *from, u32 rows, u32 fromRows, u32 width, int lanes, int dtype, F each) {
  u32 lane = threadIdx.x & (u32)(lanes - 1);
  u32 groups = BLOCK / (u32)lanes, group = threadIdx.x / (u32)lanes;
  u32 first = blockIdx.x * groups;
  do {
    u32 row = first + group;
    int begin = (int)(row % fromRows * width);
    double largest = -infinity();
    eachOfRow(width, lanes,
              [&](u32 i) { largest = LargestOrNan::combine(largest, load(from, dtype, begin + (int)i, 0.0)); });
    combineGroups<LargestOrNan>(partial, largest, lanes);
    largest = partial[threadIdx.x - lane];
    __syncthreads();
    double total = 0;
    eachOfRow(width, lanes,
              [&](u32 i) { total += headrace_exp(load(from, dtype, begin + (int)i, 0.0) - largest); });
    combineGroups<Sum>(partial, total, lanes);
    total = partial[threadIdx.x - lane];
    __syncthreads();
    each(row, begin, largest, total);
    first += gridDim.x * groups;
  } while (first < rows);
}

template <bool isLog>
INLINE void softmaxOfRows(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  __shared__ double partial[BLOCK];
  eachRow(partial, from, rows, rows, width, lanes, dtype,
          [&](u32 row, int begin, double largest, double total) {
            if (row >= rows) return;
            double log = isLog ? headrace_log(total) : 0;
            eachOfRow(width, lanes, [&](u32 i) {
              double shifted = load(from, dtype, begin + (int)i, 0.0) - largest;
              store(to, dtype, row * width + i, isLog ? shifted - log : headrace_exp(shifted) / total, 0);
            });
          });
}

KERNEL softmax(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  softmaxOfRows<false>(from, to, rows, width, lanes, dtype);
}

KERNEL logSoftmax(const void *from, void *to, u32 rows, u32 width, int lanes, int dtype) {
  softmaxOfRows<true>(from, to, rows, width, lanes, dtype);
}

// The loss of each row of logits against its classes' probabilities, `target` of a row and a class, and the gradients. A
// target of 0 contributes nothing, even if the logit is infinite.
template <typename F>
INLINE void lossesOfRows(const void *from, void *losses, void *gradients, u32 rows, u32 fromRows, u32 width, int lanes,
                         int dtype, F target) {
  __shared__ double partial[BLOCK];
  eachRow(partial, from, rows, fromRows, width, lanes, dtype,
          [&](u32 row, int begin, double largest, double total) {
            double log = headrace_log(total), loss = 0;
            if (row < rows) {
              eachOfRow(width, lanes, [&](u32 i) {
                double shifted = load(from, dtype, begin + (int)i, 0.0) - largest, probability = target(row, i);
                if (probability != 0) loss += probability * (log - shifted);
                store(gradients, dtype, row * width + i, headrace_exp(shifted) / total - probability, 0);
              });
            }
            combineGroups<Sum>(partial, loss, lanes);
            if (row < rows && (threadIdx.x & (u32)(lanes - 1)) == 0) store(losses, dtype, row, partial[threadIdx.x], 0);
          });
}

// There are `targetRows` rows of probabilities to read, again and again.
KERNEL crossEntropy(const void *from, const void *targets, void *losses, void *gradients, u32 rows, u32 fromRows,
                    u32 targetRows, u32 width, int lanes, int dtype) {
  lossesOfRows(from, losses, gradients, rows, fromRows, width, lanes, dtype,
               [&](u32 row, u32 i) { return load(targets, dtype, (int)(row % targetRows * width + i), 0.0); });
}

// The probability of the class that the label names, of `labelBytes` bytes, is 1. A label that is out of range is reported
// in the error word, as ElementError says.
KERNEL sparseCrossEntropy(const void *from, const void *labels, void *losses, void *gradients, u64 *error, u32 rows,
                          u32 fromRows, u32 labelRows, u32 width, int lanes, int dtype, int labelBytes) {
  lossesOfRows(from, losses, gradients, rows, fromRows, width, lanes, dtype, [&](u32 row, u32 i) {
    u32 at = row % labelRows;
    long long label = indexAt(labels, labelBytes, at);
    if (label < 0 || label >= width) atomicMin(error, (u64)at << 8 | 3);
    return label == (long long)i ? 1.0 : 0.0;
  });
}
