/* Strided copies of elements of 1 to 8 bytes: StridedMove.java. They are as fast on every LEVEL. */

/*
 * Copies `blocks` times `rows` times `run` elements; each of the three has a stride in either array, in elements. Runs of
 * two to four elements that lie together, such as pixels, are moved as one.
 */
#define MOVE_RUNS(TYPE, RUN)                                                                              \
  for (int64_t block = 0; block < blocks; block++) {                                                      \
    for (int64_t row = 0; row < rows; row++) {                                                            \
      memcpy(to + block * toBlock + row * toRow, from + block * fromBlock + row * fromRow, RUN * sizeof(TYPE)); \
    }                                                                                                     \
  }

#define MOVE(NAME, TYPE)                                                                                  \
  EXPORT void NAME(                                                                                \
      const TYPE *restrict from, TYPE *restrict to, int64_t blocks, int64_t fromBlock, int64_t toBlock,   \
      int64_t rows, int64_t fromRow, int64_t toRow, int64_t run, int64_t fromStep, int64_t toStep) {      \
    if (fromStep == 1 && toStep == 1 && run >= 2 && run <= 4) {                                           \
      if (run == 2) {                                                                                     \
        MOVE_RUNS(TYPE, 2)                                                                                \
      } else if (run == 3) {                                                                              \
        MOVE_RUNS(TYPE, 3)                                                                                \
      } else {                                                                                            \
        MOVE_RUNS(TYPE, 4)                                                                                \
      }                                                                                                   \
      return;                                                                                             \
    }                                                                                                     \
    for (int64_t block = 0; block < blocks; block++) {                                                    \
      for (int64_t row = 0; row < rows; row++) {                                                          \
        const TYPE *restrict source = from + block * fromBlock + row * fromRow;                           \
        TYPE *restrict target = to + block * toBlock + row * toRow;                                       \
        for (int64_t i = 0; i < run; i++) {                                                               \
          target[i * toStep] = source[i * fromStep];                                                      \
        }                                                                                                 \
      }                                                                                                   \
    }                                                                                                     \
  }

MOVE(headrace_move_bytes, uint8_t)
MOVE(headrace_move_shorts, uint16_t)
MOVE(headrace_move_ints, uint32_t)
MOVE(headrace_move_longs, uint64_t)
#undef MOVE_RUNS
#undef MOVE
