// Products of batches of matrices. A block of 256 threads makes a tile of 16 R x 16 R elements, each thread R x R of
// them, from 16 terms at a time in shared memory; there is at least one. The terms of an element are added up in their
// order, whatever R is, so that results are the same from run to run; floats by fused multiply-adds, which round once
// where a product and a sum round twice, and so stay within the bound of docs/ops.md.

#include "elements.cuh"

#define EDGE 16
#define TERMS 16
#define BLOCK (EDGE * EDGE)

INLINE float multiplyAdd(float a, float b, float c) { return __fmaf_rn(a, b, c); }
INLINE double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }
INLINE u32 multiplyAdd(u32 a, u32 b, u32 c) { return a * b + c; }
INLINE long long multiplyAdd(long long a, long long b, long long c) { return a * b + c; }

// A term: an element of the accumulators' dtype or of one that it holds, such as bytes.
INLINE float term(const void *from, int dtype, int i, float) {
  if (isType(dtype, FLOAT32)) return ((const float *)from)[i];
  if (isType(dtype, FLOAT16)) return ofHalf(((const u16 *)from)[i]);
  if (isType(dtype, BFLOAT16)) return ofBfloat16(((const u16 *)from)[i]);
  return isType(dtype, UINT8) ? ((const u8 *)from)[i] : ((const signed char *)from)[i];
}

INLINE double term(const void *from, int, int i, double) { return ((const double *)from)[i]; }

template <typename T>
INLINE T term(const void *from, int dtype, int i, T) {
  if (dtype == UINT8) return (T)((const u8 *)from)[i];
  return dtype == INT8 ? (T)((const signed char *)from)[i] : ((const T *)from)[i];
}

INLINE void store(void *to, int dtype, u32 i, float value) {
  if (dtype == FLOAT32)
    ((float *)to)[i] = value;
  else if (dtype == FLOAT16)
    ((u16 *)to)[i] = toHalf(value);
  else
    ((u16 *)to)[i] = toBfloat16(value);
}

INLINE void store(void *to, int, u32 i, double value) { ((double *)to)[i] = value; }
INLINE void store(void *to, int, u32 i, u32 value) { ((u32 *)to)[i] = value; }
INLINE void store(void *to, int, u32 i, long long value) { ((long long *)to)[i] = value; }

// The matrices of a batch, whose index has up to 4 dimensions: their sizes s, and the distances f and g from one matrix
// to the next among those on the left and on the right.
#define BATCHES int rank, int s1, int s2, int s3, int f0, int f1, int f2, int f3, int g0, int g1, int g2, int g3
#define BATCHES_PASSED rank, s1, s2, s3, f0, f1, f2, f3, g0, g1, g2, g3

// Reads a tile of `lines` lines and `terms` terms, which begins at `from`, into shared memory; zeros are behind its
// ends. Neighbors among the threads read neighbors in memory.
template <int R, typename A>
INLINE void readTile(A tile[TERMS][EDGE * R + 1], const void *from, int dtype, int at, u32 lines, u32 terms,
                     int lineStride, int termStride) {
#pragma unroll 1
  for (u32 pass = 0; pass < EDGE * R * TERMS / BLOCK; pass++) {
    u32 e = pass * BLOCK + threadIdx.x;
    bool areTermsAdjacent = termStride == 1;
    u32 line = areTermsAdjacent ? e / TERMS : e % (EDGE * R);
    u32 k = areTermsAdjacent ? e % TERMS : e / (EDGE * R);
    A value = 0;
    if (line < lines && k < terms) value = term(from, dtype, at + (int)line * lineStride + (int)k * termStride, A());
    tile[k][line] = value;
  }
}

template <int R, typename A>
INLINE void multiply(const void *x, const void *y, void *to, u32 batches, u32 rows, u32 columns, u32 terms, int xRow,
                     int xTerm, int yColumn, int yTerm, int xType, int yType, int toType, BATCHES) {
  __shared__ A left[TERMS][EDGE * R + 1];
  __shared__ A right[TERMS][EDGE * R + 1];
  u32 across = (columns + EDGE * R - 1) / (EDGE * R), down = (rows + EDGE * R - 1) / (EDGE * R);
  u32 column = threadIdx.x % EDGE, row = threadIdx.x / EDGE;
  for (u32 tile = blockIdx.x; tile < across * down * batches; tile += gridDim.x) {
    u32 batch = tile / (across * down), inBatch = tile - batch * (across * down);
    u32 top = inBatch / across * (EDGE * R), start = inBatch % across * (EDGE * R);
    int fromX = distance(batch, rank, s1, s2, s3, f0, f1, f2, f3) + (int)top * xRow;
    int fromY = distance(batch, rank, s1, s2, s3, g0, g1, g2, g3) + (int)start * yColumn;
    A sums[R][R] = {};
    u32 first = 0;
#pragma unroll 1
    do {
      readTile<R>(left, x, xType, fromX + (int)first * xTerm, rows - top, terms - first, xRow, xTerm);
      readTile<R>(right, y, yType, fromY + (int)first * yTerm, columns - start, terms - first, yColumn, yTerm);
      __syncthreads();
#pragma unroll 4
      for (int k = 0; k < TERMS; k++) {
        A a[R], b[R];
#pragma unroll
        for (int i = 0; i < R; i++) {
          a[i] = left[k][row + i * EDGE];
          b[i] = right[k][column + i * EDGE];
        }
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
          for (int j = 0; j < R; j++) sums[i][j] = multiplyAdd(a[i], b[j], sums[i][j]);
      }
      __syncthreads();
      first += TERMS;
    } while (first < terms);
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
      for (int j = 0; j < R; j++) {
        u32 atRow = top + row + i * EDGE, atColumn = start + column + j * EDGE;
        if (atRow < rows && atColumn < columns)
          store(to, toType, (batch * rows + atRow) * columns + atColumn, sums[i][j]);
      }
  }
}

#define PRODUCT(name, R, A)                                                                                         \
  KERNEL name(const void *x, const void *y, void *to, u32 batches, u32 rows, u32 columns, u32 terms, int xRow,      \
              int xTerm, int yColumn, int yTerm, int xType, int yType, int toType, BATCHES) {                       \
    multiply<R, A>(x, y, to, batches, rows, columns, terms, xRow, xTerm, yColumn, yTerm, xType, yType, toType,      \
                   BATCHES_PASSED);                                                                                 \
  }

PRODUCT(smallProductsOfFloats, 1, float)
PRODUCT(smallProductsOfDoubles, 1, double)
PRODUCT(smallProductsOfInts, 1, u32)
PRODUCT(smallProductsOfLongs, 1, long long)
PRODUCT(productsOfFloats, 4, float)
PRODUCT(productsOfDoubles, 4, double)
PRODUCT(productsOfInts, 4, u32)
PRODUCT(productsOfLongs, 4, long long)
