// Kernels that move elements, for each size of an element in bytes. build.py compiles them to PTX.

#include "elements.cuh"

// A block of elements with up to 8 dimensions, outermost first: their sizes s, and the distances f in the source and t
// in the target from one index to the next. A dimension from `rank` on has no meaning.

#define DIMENSIONS                                                                                                  \
  int s1, int s2, int s3, int s4, int s5, int s6, int s7, int f0, int f1, int f2, int f3, int f4, int f5, int f6,   \
      int f7, int t0, int t1, int t2, int t3, int t4, int t5, int t6, int t7
#define PASSED s1, s2, s3, s4, s5, s6, s7, f0, f1, f2, f3, f4, f5, f6, f7, t0, t1, t2, t3, t4, t5, t6, t7

template <typename T>
INLINE void copyBlock(const T *from, T *to, u32 count, int rank, DIMENSIONS) {
  const int sizes[8] = {1, s1, s2, s3, s4, s5, s6, s7};
  const int fromStrides[8] = {f0, f1, f2, f3, f4, f5, f6, f7};
  const int toStrides[8] = {t0, t1, t2, t3, t4, t5, t6, t7};
  EACH_ELEMENT(i, count) {
    u32 rest = i;
    int f = 0, t = 0;
#pragma unroll
    for (int d = 7; d > 0; d--) {
      if (d < rank) {
        u32 outer = rest / (u32)sizes[d];
        int at = (int)(rest - outer * (u32)sizes[d]);
        f += at * fromStrides[d];
        t += at * toStrides[d];
        rest = outer;
      }
    }
    f += (int)rest * f0;
    t += (int)rest * t0;
    to[t] = from[f];
  }
}

// Matrices of `rows` rows, `pitch` elements apart, transposed into matrices whose rows are `toPitch` apart, through
// tiles of 32 x 32 with a column to spare. Blocks have 256 threads.
template <typename T>
INLINE void transposeTiles(const T *from, T *to, int matrices, int rows, int columns, int pitch, int toPitch,
                           int fromMatrix, int toMatrix) {
  __shared__ T tile[32][33];
  int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  u32 across = ((u32)columns + 31) / 32, down = ((u32)rows + 31) / 32;
  for (u32 i = blockIdx.x; i < across * down * (u32)matrices; i += gridDim.x) {
    u32 matrix = i / (across * down), inMatrix = i - matrix * (across * down);
    int top = (int)(inMatrix / across) * 32, left = (int)(inMatrix % across) * 32;
    const T *source = from + (long long)matrix * fromMatrix;
    T *target = to + (long long)matrix * toMatrix;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8) {
      int row = top + y + k, column = left + x;
      if (row < rows && column < columns) tile[y + k][x] = source[row * pitch + column];
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 32; k += 8) {
      int row = top + x, column = left + y + k;
      if (row < rows && column < columns) target[column * toPitch + row] = tile[x][y + k];
    }
    __syncthreads();
  }
}

// Indices of `bytes` bytes: 1, 4 or 8, signed; or 0 for unsigned ones of a byte.
INLINE long long hotAt(const void *indices, int bytes, u32 i) {
  if (bytes == 0) return ((const u8 *)indices)[i];
  if (bytes == 1) return ((const signed char *)indices)[i];
  if (bytes == 4) return ((const int *)indices)[i];
  return ((const long long *)indices)[i];
}

// For each row, batch, outer index, and index of the batch, the slice of `inner` elements that the index selects of
// `limit` ones. An index that is out of range is reported in the error word, as ElementError says.
template <typename T>
INLINE void gatherSlices(const T *from, const void *indices, T *to, u64 *error, u32 count, int indexBytes, int batches,
                         int outers, int picked, int limit, int inner, int fromRow, int indicesRow) {
  EACH_ELEMENT(i, count) {
    u32 rest = i / (u32)inner, k = i - rest * (u32)inner;
    u32 j = rest % (u32)picked;
    rest /= (u32)picked;
    u32 outer = rest % (u32)outers;
    rest /= (u32)outers;
    u32 batch = rest % (u32)batches, row = rest / (u32)batches;
    u32 at = row * (u32)indicesRow + batch * (u32)picked + j;
    long long index = indexAt(indices, indexBytes, at);
    if (index < 0 || index >= limit)
      atomicMin(error, (u64)at << 8 | 3);
    else
      to[i] = from[row * (u32)fromRow + ((batch * (u32)outers + outer) * (u32)limit + (u32)index) * (u32)inner + k];
  }
}

// For each row and index, `depth` elements, `suffix` apart: `on` where the index says, `off` elsewhere.
template <typename T>
INLINE void oneHotVectors(const void *indices, const T *on, const T *off, T *to, u32 count, int indexBytes, int depth,
                          int suffix, int rowElements, int indicesRow, int onRow, int offRow) {
  EACH_ELEMENT(i, count) {
    u32 row = i / (u32)rowElements, inRow = i - row * (u32)rowElements;
    u32 rest = inRow / (u32)suffix;
    u32 prefix = rest / (u32)depth, d = rest - prefix * (u32)depth;
    u32 at = row * (u32)indicesRow + prefix * (u32)suffix + (inRow - rest * (u32)suffix);
    to[i] = hotAt(indices, indexBytes, at) == (long long)d ? on[row * (u32)onRow] : off[row * (u32)offRow];
  }
}

#define FOR_SIZE(bytes, T)                                                                            \
  KERNEL copy##bytes(const T *from, T *to, u32 count, int rank, DIMENSIONS) {                         \
    copyBlock(from, to, count, rank, PASSED);                                                         \
  }                                                                                                   \
  KERNEL transpose##bytes(const T *from, T *to, int matrices, int rows, int columns, int pitch,       \
                          int toPitch, int fromMatrix, int toMatrix) {                                \
    transposeTiles(from, to, matrices, rows, columns, pitch, toPitch, fromMatrix, toMatrix);          \
  }                                                                                                   \
  KERNEL gather##bytes(const T *from, const void *indices, T *to, u64 *error, u32 count,              \
                       int indexBytes, int batches, int outers, int picked, int limit, int inner,     \
                       int fromRow, int indicesRow) {                                                 \
    gatherSlices(from, indices, to, error, count, indexBytes, batches, outers, picked, limit, inner,  \
                 fromRow, indicesRow);                                                                \
  }                                                                                                   \
  KERNEL oneHot##bytes(const void *indices, const T *on, const T *off, T *to, u32 count,              \
                       int indexBytes, int depth, int suffix, int rowElements, int indicesRow,        \
                       int onRow, int offRow) {                                                       \
    oneHotVectors(indices, on, off, to, count, indexBytes, depth, suffix, rowElements, indicesRow,    \
                  onRow, offRow);                                                                     \
  }

FOR_SIZE(1, u8)
FOR_SIZE(2, u16)
FOR_SIZE(4, u32)
FOR_SIZE(8, u64)
