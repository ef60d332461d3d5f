/*
 * Loops over pixels and numbers that HotSpot does not vectorize. Each does what a method in Java does, operation by
 * operation, so that results are equal bit for bit: nothing is contracted to a fused multiply-add or reordered.
 *
 * Functions that compute are there for each level of the processor: under their name for any one of the platform, and with
 * the suffix _avx2. They keep nothing, call only functions that they are given, and check nothing: the caller has checked
 * sizes and indices.
 */
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define EXPORT __attribute__((visibility("default")))

#define LEVEL(name) name
#include "colors.h"
#include "fourier.h"
#include "resize.h"
#include "area.h"
#include "moves.h"
#include "normals.h"
#undef LEVEL

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define LEVEL(name) name##_avx2
#include "colors.h"
#include "fourier.h"
#include "resize.h"
#include "area.h"
#include "normals.h"
#undef LEVEL
#pragma clang attribute pop

/* Whether the processor has AVX2 and the system saves its registers. */
EXPORT int headrace_has_avx2(void) {
  unsigned a, b, c, d;
  const unsigned saved = bit_OSXSAVE | bit_AVX;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & saved) != saved) {
    return 0;
  }
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) != 0;
}
#else
EXPORT int headrace_has_avx2(void) {
  return 0;
}
#endif
