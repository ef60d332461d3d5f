// Batches of images, of bytes [height, width, channels], as normalized floats: (byte - mean) * factor by channel, with
// the CPU's bits, since each operation rounds. At most 4 channels.

#include "elements.cuh"
#include "bilinear.cuh"

#define MAX_CHANNELS 4
#define BLOCK 256
#define PIXELS 4
#define TILE_WIDTH 64
#define TILE_HEIGHT 8

// Of each channel; passed by value, so that no memory is read for it.
struct Scaling {
  float mean[MAX_CHANNELS];
  float factor[MAX_CHANNELS];
};

INLINE float scaled(float x, const Scaling &s, int c) { return (x - s.mean[c]) * s.factor[c]; }

// Images [height, width, N] to planes [N, height, width]. A thread takes four pixels, a group, of which a plane has
// `planeGroups`; a block reads its bytes as words side by side, through shared memory, and writes four floats at once.
// Blocks behind the last group do nothing.
template <int N>
INLINE void toPlanes(const u32 *from, float4 *to, u32 groups, u32 planeGroups, const Scaling &s) {
  __shared__ u32 words[N > 1 ? BLOCK * N : 1];
  u32 first = blockIdx.x * BLOCK;
#pragma unroll 1
  do {
    u32 group = first + threadIdx.x;
    if (N > 1) {
#pragma unroll 1
      for (int k = 0; k < N; k++) {
        u32 at = k * BLOCK + threadIdx.x;
        if (first * N + at < groups * N) words[at] = from[first * N + at];
      }
      __syncthreads();
    }
    if (group < groups) {
      float pixels[N][PIXELS];
#pragma unroll
      for (int k = 0; k < N; k++) {
        u32 word = N > 1 ? words[threadIdx.x * N + k] : from[group];
#pragma unroll
        for (int b = 0; b < 4; b++) {
          pixels[(4 * k + b) % N][(4 * k + b) / N] = scaled((float)(word >> (8 * b) & 255), s, (4 * k + b) % N);
        }
      }
      u32 image = group / planeGroups;
      u32 at = image * N * planeGroups + (group - image * planeGroups);
#pragma unroll
      for (int c = 0; c < N; c++) {
        to[at + c * planeGroups] = make_float4(pixels[c][0], pixels[c][1], pixels[c][2], pixels[c][3]);
      }
    }
    if (N > 1) __syncthreads();
    first += gridDim.x * BLOCK;
  } while (first < groups);
}

#define PLANES(N)                                                                                              \
  KERNEL normalizeToPlanes##N(const u32 *from, float4 *to, u32 groups, u32 planeGroups, float m0, float m1,    \
                              float m2, float m3, float f0, float f1, float f2, float f3) {                   \
    toPlanes<N>(from, to, groups, planeGroups, {{m0, m1, m2, m3}, {f0, f1, f2, f3}});                         \
  }

PLANES(1)
PLANES(3)
PLANES(4)

// A part of an image that becomes an image of the batch.
struct Cut {
  // Of its first pixel, in bytes.
  u64 offset;
  // The pixels from one line to the next.
  int pitch;
  int height;
  int width;
  // Whether left and right are exchanged behind.
  int flipped;
  // Its pixels for one of the batch.
  float yScale;
  float xScale;
};

// Cuts of images of any sizes, resized bilinearly with half-pixel centers. A block makes a tile of 64 x 8 pixels, whose
// neighbors come from memory once, then from the cache.
KERNEL prepareImages(const u8 *from, const Cut *cuts, float *to, u32 tiles, int height, int width, int channels,
                     int channelsFirst, float m0, float m1, float m2, float m3, float f0, float f1, float f2,
                     float f3) {
  Scaling s = {{m0, m1, m2, m3}, {f0, f1, f2, f3}};
  u32 across = ((u32)width + TILE_WIDTH - 1) / TILE_WIDTH, down = ((u32)height + TILE_HEIGHT - 1) / TILE_HEIGHT;
  for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u32 row = tile / across, image = row / down;
    Cut cut = cuts[image];
    float *target = to + (int)image * height * width * channels;
#pragma unroll
    for (u32 part = 0; part < TILE_WIDTH * TILE_HEIGHT / BLOCK; part++) {
      u32 at = part * BLOCK + threadIdx.x;
      int x = (int)((tile - row * across) * TILE_WIDTH + at % TILE_WIDTH);
      int y = (int)((row - image * down) * TILE_HEIGHT + at / TILE_WIDTH);
      if (x >= width || y >= height) continue;
      Neighbors v = neighbors(position((u32)y, cut.yScale, 1) - 0.5f, cut.height);
      Neighbors h = neighbors(position((u32)(cut.flipped ? width - 1 - x : x), cut.xScale, 1) - 0.5f, cut.width);
      const u8 *upper = from + cut.offset + v.lower * cut.pitch * channels;
      const u8 *lower = from + cut.offset + v.upper * cut.pitch * channels;
      int left = h.lower * channels, right = h.upper * channels;
      int pixel = y * width + x;
#pragma unroll
      for (int c = 0; c < MAX_CHANNELS; c++) {
        if (c == 0 || c < channels) {
          float top = mixed((float)upper[left + c], (float)upper[right + c], h.fraction);
          float bottom = mixed((float)lower[left + c], (float)lower[right + c], h.fraction);
          target[channelsFirst ? c * height * width + pixel : pixel * channels + c] =
              scaled(mixed(top, bottom, v.fraction), s, c);
        }
      }
    }
  }
}
