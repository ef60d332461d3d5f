/*
 * Resizing of images of three channels to the means of areas: ResizeAreaOps.java. Included for each LEVEL, after
 * resize.h.
 */
#ifndef AREA_H
#define AREA_H

/* What rows or columns of a result cover: of x, the inputs `indices` from starts[x] to starts[x + 1], and their weights. */
struct areas {
  const int32_t *starts;
  const int32_t *indices;
  const float *weights;
};
#endif

/*
 * Sums up a row across. Vectors have four channels: the fourth of a sum is overwritten by the next pixel, and there is
 * room for the last one's. Areas with the last pixel of the input row, which may be the last of the image, are summed up
 * channel by channel.
 */
#define SUM_ACROSS(NAME, TYPE, READ)                                                                      \
  static void LEVEL(NAME)(                                                                                \
      const TYPE *restrict row, int64_t inWidth, const struct areas *columns, int64_t width,              \
      float *restrict sums) {                                                                             \
    int32_t last = (int32_t)(3 * (inWidth - 1));                                                          \
    for (int64_t x = 0; x < width; x++) {                                                                 \
      int32_t from = columns->starts[x], to = columns->starts[x + 1];                                     \
      if (columns->indices[to - 1] < last) {                                                              \
        pixel sum = LEVEL(READ)(row + columns->indices[from]) * columns->weights[from];                   \
        for (int32_t i = from + 1; i < to; i++) {                                                         \
          sum = sum + LEVEL(READ)(row + columns->indices[i]) * columns->weights[i];                       \
        }                                                                                                 \
        memcpy(sums + 3 * x, &sum, sizeof sum);                                                           \
        continue;                                                                                         \
      }                                                                                                   \
      for (int c = 0; c < 3; c++) {                                                                       \
        float sum = (float)row[columns->indices[from] + c] * columns->weights[from];                      \
        for (int32_t i = from + 1; i < to; i++) {                                                         \
          sum = sum + (float)row[columns->indices[i] + c] * columns->weights[i];                          \
        }                                                                                                 \
        sums[3 * x + c] = sum;                                                                            \
      }                                                                                                   \
    }                                                                                                     \
  }

/*
 * Rows `begin` to `end` of a result. Indices of columns are those of their first channel. `work` has room for a summed
 * up row and one number more: that row is kept for the next row of the result.
 */
#define AREA(NAME, SUMMED, TYPE)                                                                          \
  EXPORT void LEVEL(NAME)(                                                                                \
      const TYPE *restrict image, int64_t inWidth, const int32_t *rowStarts, const int32_t *rowIndices,   \
      const float *rowWeights, int64_t begin, int64_t end, const int32_t *columnStarts,                   \
      const int32_t *columnIndices, const float *columnWeights, int64_t width, float scale,               \
      float *restrict work, float *restrict out) {                                                        \
    const struct areas columns = {columnStarts, columnIndices, columnWeights};                            \
    int32_t kept = -1;                                                                                    \
    for (int64_t y = begin; y < end; y++) {                                                               \
      float *restrict to = out + 3 * width * (y - begin);                                                 \
      memset(to, 0, sizeof *to * 3 * (size_t)width);                                                      \
      for (int32_t i = rowStarts[y]; i < rowStarts[y + 1]; i++) {                                         \
        if (kept != rowIndices[i]) {                                                                      \
          kept = rowIndices[i];                                                                           \
          LEVEL(SUMMED)(image + 3 * inWidth * kept, inWidth, &columns, width, work);                      \
        }                                                                                                 \
        float weight = rowWeights[i];                                                                     \
        for (int64_t x = 0; x < 3 * width; x++) {                                                         \
          to[x] = to[x] + work[x] * weight;                                                               \
        }                                                                                                 \
      }                                                                                                   \
      for (int64_t x = 0; x < 3 * width; x++) {                                                           \
        to[x] = to[x] * scale;                                                                            \
      }                                                                                                   \
    }                                                                                                     \
  }

SUM_ACROSS(sum_bytes_across, uint8_t, pixel_of_bytes)
SUM_ACROSS(sum_floats_across, float, pixel_of_floats)
AREA(headrace_area_bytes, sum_bytes_across, uint8_t)
AREA(headrace_area_floats, sum_floats_across, float)
#undef SUM_ACROSS
#undef AREA
