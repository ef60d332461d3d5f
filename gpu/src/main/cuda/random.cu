// Random numbers of Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC11), as TensorFlow
// makes them of its blocks. A thread makes the numbers of a block: two of 64 bits, or four. The numbers are the CPU's,
// bit for bit, but for normal ones, whose logarithms, sines and cosines may differ in the last place.

#include "elements.cuh"
#include "powers.cuh"
#include "trigonometry.cuh"

struct Samples {
  u32 of[4];
};

// Block i behind that of a 128-bit counter.
INLINE Samples block(u64 key, u64 low, u64 high, u64 i) {
  u64 counter = low + i;
  high += counter < low ? 1 : 0;
  u32 c0 = (u32)counter, c1 = (u32)(counter >> 32), c2 = (u32)high, c3 = (u32)(high >> 32);
  u32 k0 = (u32)key, k1 = (u32)(key >> 32);
#pragma unroll 1
  for (int round = 0; round < 10; round++) {
    u64 a = (u64)0xd2511f53u * c0, b = (u64)0xcd9e8d57u * c2;
    c0 = (u32)(b >> 32) ^ c1 ^ k0;
    c1 = (u32)b;
    c2 = (u32)(a >> 32) ^ c3 ^ k1;
    c3 = (u32)a;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {c0, c1, c2, c3};
}

INLINE u64 joined(u32 low, u32 high) { return (u64)high << 32 | low; }

// Numbers from 0 to below 1.
INLINE float unitFloat(u32 sample) { return __uint_as_float((sample & 0x7fffff) | 0x3f800000) - 1; }
INLINE double unitDouble(u32 high, u32 low) { return number(joined(low, (high & 0xfffff) | 0x3ff00000)) - 1; }

// Calls `make` with the samples of each block and the index of its first number, for `per` numbers of a block.
template <typename F>
INLINE void eachBlock(u32 count, u32 per, u64 key, u64 low, u64 high, F make) {
  EACH_ELEMENT(i, (count - 1) / per + 1) { make(block(key, low, high, i), i * per); }
}

// Stores `per` numbers, the last one first: those behind the end go to the last place, until its own number does.
template <typename T>
INLINE void storeNumbers(void *to, u32 count, u32 at, int per, const T *numbers) {
#pragma unroll
  for (int k = per - 1; k >= 0; k--) ((T *)to)[min(at + (u32)k, count - 1)] = numbers[k];
}

INLINE u16 unitHalf(u32 sample) { return toHalf((float)(sample & 0x3ff) * (1 / 1024.0f)); }
INLINE u16 unitBfloat16(u32 sample) { return roundedToBfloat16((float)(sample & 0x7f) * (1 / 128.0f)); }

KERNEL uniform(void *to, u32 count, int dtype, u64 key, u64 low, u64 high) {
  eachBlock(count, dtype == FLOAT64 ? 2 : 4, key, low, high, [=](Samples s, u32 at) {
    if (dtype == FLOAT64) {
      double numbers[2] = {unitDouble(s.of[0], s.of[1]), unitDouble(s.of[2], s.of[3])};
      storeNumbers(to, count, at, 2, numbers);
    } else if (dtype == FLOAT32) {
      float numbers[4] = {unitFloat(s.of[0]), unitFloat(s.of[1]), unitFloat(s.of[2]), unitFloat(s.of[3])};
      storeNumbers(to, count, at, 4, numbers);
    } else {
      u16 numbers[4];
#pragma unroll
      for (int k = 0; k < 4; k++) numbers[k] = dtype == FLOAT16 ? unitHalf(s.of[k]) : unitBfloat16(s.of[k]);
      storeNumbers(to, count, at, 4, numbers);
    }
  });
}

INLINE bool isLong(int dtype) { return dtype == INT64; }

KERNEL uniformIntegers(void *to, u32 count, int dtype, u64 key, u64 low, u64 high, u64 least, u64 range) {
  eachBlock(count, isLong(dtype) ? 2 : 4, key, low, high, [=](Samples s, u32 at) {
    if (isLong(dtype)) {
      u64 numbers[2] = {least + remainder(joined(s.of[0], s.of[1]), range),
                        least + remainder(joined(s.of[2], s.of[3]), range)};
      storeNumbers(to, count, at, 2, numbers);
    } else {
      u32 numbers[4];
#pragma unroll
      for (int k = 0; k < 4; k++) numbers[k] = (u32)least + s.of[k] % (u32)range;
      storeNumbers(to, count, at, 4, numbers);
    }
  });
}

KERNEL randomBits(void *to, u32 count, int dtype, u64 key, u64 low, u64 high) {
  eachBlock(count, isLong(dtype) ? 2 : 4, key, low, high, [=](Samples s, u32 at) {
    if (isLong(dtype)) {
      u64 numbers[2] = {joined(s.of[0], s.of[1]), joined(s.of[2], s.of[3])};
      storeNumbers(to, count, at, 2, numbers);
    } else {
      storeNumbers(to, count, at, 4, s.of);
    }
  });
}

// Two numbers of the standard normal distribution from two uniform ones, by Box and Muller's method. What is float on
// the CPU is rounded here where it is there.
template <typename T>
INLINE void boxMuller(T u, T v, T *pair) {
  T least = (T)1.0e-7;
  T log = (T)headrace_log(u < least ? least : u);
  T radius = (T)__dsqrt_rn(-2 * log);
  T angle = (T)(0x1.921fb54442d18p+2 * v);
  pair[0] = (T)headrace_sin(angle) * radius;
  pair[1] = (T)headrace_cos(angle) * radius;
}

KERNEL normal(void *to, u32 count, int dtype, u64 key, u64 low, u64 high) {
  eachBlock(count, dtype == FLOAT64 ? 2 : 4, key, low, high, [=](Samples s, u32 at) {
    if (dtype == FLOAT64) {
      double numbers[2];
      boxMuller(unitDouble(s.of[0], s.of[1]), unitDouble(s.of[2], s.of[3]), numbers);
      storeNumbers(to, count, at, 2, numbers);
      return;
    }
#pragma unroll 1
    for (int k = 2; k >= 0; k -= 2) {
      float numbers[2];
      boxMuller(unitFloat(k == 0 ? s.of[0] : s.of[2]), unitFloat(k == 0 ? s.of[1] : s.of[3]), numbers);
      if (dtype == FLOAT32) {
        storeNumbers(to, count, at + k, 2, numbers);
      } else {
        u16 halves[2];
#pragma unroll
        for (int l = 0; l < 2; l++) halves[l] = dtype == FLOAT16 ? toHalf(numbers[l]) : roundedToBfloat16(numbers[l]);
        storeNumbers(to, count, at + k, 2, halves);
      }
    }
  });
}

// The samples that are reserved for each number, which is drawn again until it is near enough.
#define TRUNCATED_SAMPLES 256
#define TRUNCATE_AT 2

INLINE void storeNumber(void *to, int dtype, u32 at, float number) {
  if (dtype == FLOAT32)
    ((float *)to)[at] = number;
  else
    ((u16 *)to)[at] = dtype == FLOAT16 ? toHalf(number) : roundedToBfloat16(number);
}

// A thread makes a group of numbers from blocks that are reserved for it. The first number of a block has a place.
KERNEL truncatedNormal(void *to, u32 count, int dtype, u64 key, u64 low, u64 high) {
  u32 per = dtype == FLOAT64 ? 2 : 4;
  EACH_ELEMENT(group, (count - 1) / per + 1) {
    u32 at = min(group * per, count - 1), end = min(at + per, count);
    u64 i = (u64)group * (per * TRUNCATED_SAMPLES / 4);
    if (dtype == FLOAT64) {
#pragma unroll 1
      do {
        Samples s = block(key, low, high, i++);
        double numbers[2];
        boxMuller(unitDouble(s.of[0], s.of[1]), unitDouble(s.of[2], s.of[3]), numbers);
        if (size(numbers[0]) < TRUNCATE_AT) ((double *)to)[at++] = numbers[0];
        if (at < end && size(numbers[1]) < TRUNCATE_AT) ((double *)to)[at++] = numbers[1];
      } while (at < end);
      continue;
    }
#pragma unroll 1
    do {
      Samples s = block(key, low, high, i++);
#pragma unroll 1
      for (int k = 0; k < 4; k += 2) {
        float numbers[2];
        boxMuller(unitFloat(k == 0 ? s.of[0] : s.of[2]), unitFloat(k == 0 ? s.of[1] : s.of[3]), numbers);
#pragma unroll 1
        for (int j = 0; j < 2; j++) {
          float number = j == 0 ? numbers[0] : numbers[1];
          if (at < end && fabsf(number) < TRUNCATE_AT) storeNumber(to, dtype, at++, number);
        }
      }
    } while (at < end);
  }
}
