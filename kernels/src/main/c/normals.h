/* Standard normal samples: Philox.java and Distributions.java explain them. Included for each LEVEL. */
#ifndef NORMALS_H
#define NORMALS_H

/* Blocks of four samples that are computed step by step, in registers and the first cache. */
#define NORMAL_BLOCKS 64

/* 0.0 to 1.0, of the lower 23 bits. */
static inline float unit(uint32_t bits) {
  union {
    uint32_t bits;
    float number;
  } one = {(bits & 0x7fffff) | 127u << 23};
  return one.number - 1;
}
#endif

/* The blocks of Philox4x32-10 from a counter on, each of the four numbers in an array. */
static void LEVEL(philox)(
    uint64_t key, uint64_t low, uint64_t high, int64_t blocks, uint32_t *restrict x0, uint32_t *restrict x1,
    uint32_t *restrict x2, uint32_t *restrict x3) {
  for (int64_t i = 0; i < blocks; i++) {
    uint64_t lower = low + (uint64_t)i;
    uint64_t upper = high + (lower < low);
    uint32_t c0 = (uint32_t)lower, c1 = (uint32_t)(lower >> 32), c2 = (uint32_t)upper, c3 = (uint32_t)(upper >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
      uint64_t a = (uint64_t)0xD2511F53 * c0, b = (uint64_t)0xCD9E8D57 * c2;
      c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
      c1 = (uint32_t)b;
      c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
      c3 = (uint32_t)a;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    x0[i] = c0;
    x1[i] = c1;
    x2[i] = c2;
    x3[i] = c3;
  }
}

/* Pairs of samples, by Box and Muller's method, to the first two of each four elements. */
static void LEVEL(pairs)(
    const uint32_t *restrict lengths, const uint32_t *restrict angles, int64_t pairs, float (*logarithm)(float),
    void (*sineAndCosine)(float, float *, float *), float *restrict out) {
  float radius[NORMAL_BLOCKS], angle[NORMAL_BLOCKS];
  for (int64_t i = 0; i < pairs; i++) {
    float u = unit(lengths[i]);
    radius[i] = u > 1.0e-7f ? u : 1.0e-7f;
    angle[i] = (float)(2 * 3.14159265358979323846 * unit(angles[i]));
  }
  for (int64_t i = 0; i < pairs; i++) {
    radius[i] = logarithm(radius[i]);
  }
  for (int64_t i = 0; i < pairs; i++) {
    radius[i] = __builtin_sqrtf(-2 * radius[i]);
  }
  for (int64_t i = 0; i < pairs; i++) {
    float sine, cosine;
    sineAndCosine(angle[i], &sine, &cosine);
    out[4 * i] = sine * radius[i];
    out[4 * i + 1] = cosine * radius[i];
  }
}

/* Four samples of each block, with the logarithm, and the sine and cosine, of the C library. */
EXPORT void LEVEL(headrace_normals)(
    uint64_t key, uint64_t low, uint64_t high, int64_t blocks, float (*logarithm)(float),
    void (*sineAndCosine)(float, float *, float *), float *restrict out) {
  uint32_t x0[NORMAL_BLOCKS], x1[NORMAL_BLOCKS], x2[NORMAL_BLOCKS], x3[NORMAL_BLOCKS];
  for (int64_t done = 0; done < blocks; done += NORMAL_BLOCKS) {
    int64_t count = blocks - done < NORMAL_BLOCKS ? blocks - done : NORMAL_BLOCKS;
    LEVEL(philox)(key, low, high, count, x0, x1, x2, x3);
    LEVEL(pairs)(x0, x1, count, logarithm, sineAndCosine, out + 4 * done);
    LEVEL(pairs)(x2, x3, count, logarithm, sineAndCosine, out + 4 * done + 2);
    low += (uint64_t)count;
    high += low < (uint64_t)count;
  }
}
