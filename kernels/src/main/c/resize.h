/* Bilinear resizing of images of three channels: ResizeBilinearOps.java. Included for each LEVEL. */
#ifndef RESIZE_H
#define RESIZE_H

/* Rows or columns of a result: for each its two neighbors in the input, and the fraction between them. */
struct neighbors {
  const int32_t *first;
  const int32_t *second;
  const float *fraction;
};

typedef float pixel __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(4)));
#endif

/* The pixel at `at` and a channel of the next one, which is there. */
static inline pixel LEVEL(pixel_of_bytes)(const uint8_t *at) {
  bytes channels;
  memcpy(&channels, at, sizeof channels);
  return __builtin_convertvector(__builtin_convertvector(channels, integers), pixel);
}

static inline pixel LEVEL(pixel_of_floats)(const float *at) {
  pixel channels;
  memcpy(&channels, at, sizeof channels);
  return channels;
}

/*
 * Interpolates a row across. Vectors have four channels: the fourth of a result is overwritten by the next pixel. The
 * last pixel of the input row may be the last of the image, and is read by itself, as are those of the result.
 */
#define STRETCH(NAME, TYPE, READ)                                                                         \
  static void LEVEL(NAME)(                                                                                \
      const TYPE *restrict row, int64_t inWidth, const struct neighbors *columns, int64_t width,          \
      float *restrict out) {                                                                              \
    int64_t x = 0;                                                                                        \
    int32_t last = (int32_t)(3 * (inWidth - 1));                                                          \
    for (; x < width - 1; x++) {                                                                          \
      int32_t l = columns->first[x], r = columns->second[x];                                              \
      if (l >= last || r >= last) {                                                                       \
        break;                                                                                            \
      }                                                                                                   \
      pixel left = LEVEL(READ)(row + l), right = LEVEL(READ)(row + r);                                    \
      float part = columns->fraction[x];                                                                  \
      pixel mixed = left + (right - left) * part;                                                         \
      memcpy(out + 3 * x, &mixed, sizeof mixed);                                                          \
    }                                                                                                     \
    for (; x < width; x++) {                                                                              \
      int32_t l = columns->first[x], r = columns->second[x];                                              \
      float part = columns->fraction[x];                                                                  \
      for (int c = 0; c < 3; c++) {                                                                       \
        float left = row[l + c], right = row[r + c];                                                      \
        out[3 * x + c] = left + (right - left) * part;                                                    \
      }                                                                                                   \
    }                                                                                                     \
  }

/*
 * Rows `begin` to `end` of a result. Neighbors of columns are indices of their first channel. `work` has room for two
 * stretched rows, which are kept for the next row of the result.
 */
#define BILINEAR(NAME, STRETCHED, TYPE)                                                                   \
  EXPORT void LEVEL(NAME)(                                                                                \
      const TYPE *restrict image, int64_t inWidth, const int32_t *firstRow, const int32_t *secondRow,     \
      const float *rowFraction, int64_t begin, int64_t end, const int32_t *left, const int32_t *right,    \
      const float *columnFraction, int64_t width, float *work, float *restrict out) {                     \
    const struct neighbors columns = {left, right, columnFraction};                                       \
    float *slots[2] = {work, work + 3 * width};                                                           \
    int32_t kept[2] = {-1, -1};                                                                           \
    for (int64_t y = begin; y < end; y++) {                                                               \
      int32_t rows[2] = {firstRow[y], secondRow[y]};                                                      \
      int first = kept[1] == rows[0];                                                                     \
      int second = rows[0] == rows[1] ? first : !first;                                                   \
      int slot[2] = {first, second};                                                                      \
      for (int i = 0; i < 2; i++) {                                                                       \
        if (kept[slot[i]] != rows[i]) {                                                                   \
          kept[slot[i]] = rows[i];                                                                        \
          LEVEL(STRETCHED)(image + 3 * inWidth * rows[i], inWidth, &columns, width, slots[slot[i]]);      \
        }                                                                                                 \
      }                                                                                                   \
      const float *restrict a = slots[first];                                                             \
      const float *restrict b = slots[second];                                                            \
      float part = rowFraction[y];                                                                        \
      float *restrict to = out + 3 * width * (y - begin);                                                 \
      for (int64_t i = 0; i < 3 * width; i++) {                                                           \
        to[i] = a[i] + (b[i] - a[i]) * part;                                                              \
      }                                                                                                   \
    }                                                                                                     \
  }

STRETCH(stretch_bytes, uint8_t, pixel_of_bytes)
STRETCH(stretch_floats, float, pixel_of_floats)
BILINEAR(headrace_bilinear_bytes, stretch_bytes, uint8_t)
BILINEAR(headrace_bilinear_floats, stretch_floats, float)
#undef STRETCH
#undef BILINEAR
