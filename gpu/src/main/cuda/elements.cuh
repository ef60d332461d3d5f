// Elements of all dtypes as doubles or 64-bit integers. A dtype is a number, as DtypeCode counts them. A launch has one
// dimension and any number of blocks, of 256 threads where a kernel says so. Counts are below 2^31, and a launch has at
// most 2^20 threads.

#include "arithmetic.cuh"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

#define INLINE_MEMBER static __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define EACH_ELEMENT(i, count) \
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)

enum Dtype {
  FLOAT64 = 0,
  FLOAT32 = 1,
  FLOAT16 = 2,
  BFLOAT16 = 3,
  INT64 = 4,
  INT32 = 5,
  INT16 = 6,
  INT8 = 7,
  UINT32 = 8,
  UINT16 = 9,
  UINT8 = 10,
  // Bits whose order is that of signed integers when the first is flipped.
  UINT64 = 11
};

// Whether a dtype is this one. The compiler does not see that tests are of one value: it would search for that in halves,
// with branches that no dtype takes.
INLINE bool isType(int dtype, int one) {
  asm volatile("" : "+r"(dtype));
  return dtype == one;
}

INLINE float ofHalf(u16 half) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half));
  return result;
}

INLINE u16 toHalf(float x) {
  u16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}

INLINE float ofBfloat16(u16 high) { return __uint_as_float((u32)high << 16); }

// Rounds a number to nearest even.
INLINE u16 roundedToBfloat16(float x) {
  u32 b = __float_as_uint(x);
  return (u16)((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}

// The same; NaN stays NaN.
INLINE u16 toBfloat16(float x) { return x != x ? 0x7fc0 : roundedToBfloat16(x); }

// Of 64 bits in one instruction; NVRTC puts a branch for small numbers around it.
INLINE long long quotient(long long a, long long b) {
  long long result;
  asm("div.s64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
  return result;
}

INLINE u64 remainder(u64 a, u64 b) {
  u64 result;
  asm("rem.u64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
  return result;
}

// Loads an element as a value of the type of the last argument.
INLINE double load(const void *from, int dtype, int i, double) {
  if (dtype == FLOAT32) return ((const float *)from)[i];
  if (dtype == FLOAT16) return ofHalf(((const u16 *)from)[i]);
  if (dtype == BFLOAT16) return ofBfloat16(((const u16 *)from)[i]);
  return ((const double *)from)[i];
}

INLINE long long load(const void *from, int dtype, int i, long long) {
  if (dtype == INT32) return ((const int *)from)[i];
  if (dtype == UINT8) return ((const u8 *)from)[i];
  if (dtype == INT8) return ((const signed char *)from)[i];
  if (dtype == INT16) return ((const short *)from)[i];
  if (dtype == UINT16) return ((const u16 *)from)[i];
  if (dtype == UINT32) return ((const u32 *)from)[i];
  if (dtype == UINT64) return (long long)(((const u64 *)from)[i] ^ 0x8000000000000000ull);
  return ((const long long *)from)[i];
}

// Stores a value, divided by `count` unless that is 0.
INLINE void store(void *to, int dtype, u32 i, double value, long long count) {
  if (count != 0) value /= (double)count;
  if (dtype == FLOAT64)
    ((double *)to)[i] = value;
  else if (dtype == FLOAT32)
    ((float *)to)[i] = (float)value;
  else if (dtype == FLOAT16)
    ((u16 *)to)[i] = toHalf((float)value);
  else
    ((u16 *)to)[i] = toBfloat16((float)value);
}

INLINE void store(void *to, int dtype, u32 i, long long value, long long count) {
  if (count != 0) value = quotient(value, count);
  if (dtype == INT64)
    ((long long *)to)[i] = value;
  else if (dtype == INT32 || dtype == UINT32)
    ((int *)to)[i] = (int)value;
  else if (dtype == INT16 || dtype == UINT16)
    ((short *)to)[i] = (short)value;
  else if (dtype == UINT64)
    ((u64 *)to)[i] = (u64)value ^ 0x8000000000000000ull;
  else
    ((signed char *)to)[i] = (signed char)value;
}

// The distance of element i of a block with up to 4 dimensions.
INLINE int distance(u32 i, int rank, int s1, int s2, int s3, int f0, int f1, int f2, int f3) {
  int at = 0;
  if (rank > 1) {
    if (rank > 2) {
      if (rank > 3) {
        at += (int)(i % (u32)s3) * f3;
        i /= (u32)s3;
      }
      at += (int)(i % (u32)s2) * f2;
      i /= (u32)s2;
    }
    at += (int)(i % (u32)s1) * f1;
    i /= (u32)s1;
  }
  return at + (int)i * f0;
}

// The larger one; NaN if either is, and of zeros the positive one.
INLINE double larger(double a, double b) {
  if (a != a) return a;
  if (a == b) return number(bits(a) & bits(b));
  return a > b ? a : b;
}

// Signed indices of `bytes` bytes: 2, 4 or 8.
INLINE long long indexAt(const void *indices, int bytes, u32 i) {
  if (bytes == 2) return ((const short *)indices)[i];
  if (bytes == 4) return ((const int *)indices)[i];
  return ((const long long *)indices)[i];
}
