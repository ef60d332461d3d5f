// Images [batch, height, width, channels] in other sizes. Positions and mixtures are computed in float, without fused
// multiply-adds, as on the CPU, and so have its bits.

#include "elements.cuh"
#include "bilinear.cuh"

INLINE float toFloat(float x) { return x; }
INLINE float toFloat(double x) { return (float)x; }
INLINE float toFloat(long long x) { return (float)x; }
INLINE float toFloat(int x) { return (float)x; }

template <typename T, int N>
INLINE void loadAs(const void *from, const int (&at)[N], float (&values)[N]) {
#pragma unroll
  for (int k = 0; k < N; k++) values[k] = toFloat(((const T *)from)[at[k]]);
}

// Elements of any dtype of images, each rounded to float once.
template <bool hasBfloat16, int N>
INLINE void load(const void *from, int dtype, const int (&at)[N], float (&values)[N]) {
  if (isType(dtype, FLOAT32)) {
    loadAs<float>(from, at, values);
  } else if (isType(dtype, UINT8)) {
    loadAs<u8>(from, at, values);
  } else if (isType(dtype, FLOAT16)) {
#pragma unroll
    for (int k = 0; k < N; k++) values[k] = ofHalf(((const u16 *)from)[at[k]]);
  } else if (hasBfloat16 && isType(dtype, BFLOAT16)) {
#pragma unroll
    for (int k = 0; k < N; k++) values[k] = ofBfloat16(((const u16 *)from)[at[k]]);
  } else if (isType(dtype, FLOAT64)) {
    loadAs<double>(from, at, values);
  } else if (isType(dtype, INT64)) {
    loadAs<long long>(from, at, values);
  } else if (isType(dtype, INT32)) {
    loadAs<int>(from, at, values);
  } else if (isType(dtype, INT16)) {
    loadAs<short>(from, at, values);
  } else if (isType(dtype, INT8)) {
    loadAs<signed char>(from, at, values);
  } else {
    loadAs<u16>(from, at, values);
  }
}

template <bool hasBfloat16>
INLINE float load(const void *from, int dtype, int at) {
  const int one[1] = {at};
  float values[1];
  load<hasBfloat16>(from, dtype, one, values);
  return values[0];
}

// The value between four pixels; `image` and the neighbors count pixels.
template <bool hasBfloat16>
INLINE float between(const void *from, int dtype, int image, int width, int channels, Neighbors y, Neighbors x, int c) {
  int upper = image + y.lower * width, lower = image + y.upper * width;
  const int at[4] = {(upper + x.lower) * channels + c, (upper + x.upper) * channels + c,
                     (lower + x.lower) * channels + c, (lower + x.upper) * channels + c};
  float v[4];
  load<hasBfloat16>(from, dtype, at, v);
  return mixed(mixed(v[0], v[1], x.fraction), mixed(v[2], v[3], x.fraction), y.fraction);
}

// The indices of an element of images.
struct Place {
  u32 image;
  u32 y;
  u32 x;
  u32 channel;
};

INLINE Place place(u32 i, u32 height, u32 width, u32 channels) {
  u32 pixel = i / channels, row = pixel / width, image = row / height;
  return {image, row - image * height, pixel - row * width, i - pixel * channels};
}

KERNEL resizeBilinear(const void *from, float *to, u32 count, int dtype, int height, int width, int toHeight,
                      int toWidth, int channels, float yScale, float xScale, int halfPixelCenters) {
  EACH_ELEMENT(i, count) {
    Place p = place(i, (u32)toHeight, (u32)toWidth, (u32)channels);
    float shift = halfPixelCenters ? 0.5f : 0;
    Neighbors y = neighbors(position(p.y, yScale, halfPixelCenters) - shift, height);
    Neighbors x = neighbors(position(p.x, xScale, halfPixelCenters) - shift, width);
    to[i] = between<true>(from, dtype, (int)p.image * height * width, width, channels, y, x, (int)p.channel);
  }
}

// The nearest integer of a number that is not negative; halves up.
INLINE int nearestIndex(float at) {
  float floor = floorf(at);
  return (int)floor + (at - floor >= 0.5f ? 1 : 0);
}

INLINE int nearestPixel(u32 i, float scale, int size, int alignCorners, int halfPixelCenters) {
  float at = position(i, scale, halfPixelCenters);
  return min(alignCorners ? nearestIndex(at) : (int)floorf(at), size - 1);
}

template <typename T>
INLINE void nearestPixels(const T *from, T *to, u32 count, int alignCorners, int height, int width, int toHeight,
                          int toWidth, int channels, float yScale, float xScale, int halfPixelCenters) {
  EACH_ELEMENT(i, count) {
    Place p = place(i, (u32)toHeight, (u32)toWidth, (u32)channels);
    int y = nearestPixel(p.y, yScale, height, alignCorners, halfPixelCenters);
    int x = nearestPixel(p.x, xScale, width, alignCorners, halfPixelCenters);
    to[i] = from[(((int)p.image * height + y) * width + x) * channels + (int)p.channel];
  }
}

#define NEAREST(bytes, T)                                                                                           \
  KERNEL resizeNearest##bytes(const T *from, T *to, u32 count, int alignCorners, int height, int width,             \
                              int toHeight, int toWidth, int channels, float yScale, float xScale,                  \
                              int halfPixelCenters) {                                                               \
    nearestPixels(from, to, count, alignCorners, height, width, toHeight, toWidth, channels, yScale, xScale,        \
                  halfPixelCenters);                                                                                \
  }

NEAREST(1, u8)
NEAREST(2, u16)
NEAREST(4, u32)
NEAREST(8, u64)

// The position, among `size` pixels, of pixel i of `count` ones between two edges.
INLINE float cropPosition(u32 i, int count, float from, float to, int size) {
  float last = (float)(size - 1);
  if (count > 1) return from * last + (float)(int)i * ((to - from) * last / (float)(count - 1));
  return (float)(0.5 * (double)(from + to) * (double)last);
}

INLINE bool isFinite(float x) { return x - x == 0; }

// Boxes of images, resized; pixels out of an image are `outside`. A box that is not finite, or of no image, is reported
// in the error word, as ElementError says.
KERNEL cropAndResize(const void *from, const float *boxes, const int *images, float *to, u64 *error, u32 count,
                     int dtype, int batch, int height, int width, int toHeight, int toWidth, int channels, int nearest,
                     float outside) {
  EACH_ELEMENT(i, count) {
    Place p = place(i, (u32)toHeight, (u32)toWidth, (u32)channels);
    const float *box = boxes + 4 * p.image;
    int image = images[p.image];
    if (image < 0 || image >= batch || !isFinite(box[0]) || !isFinite(box[1]) || !isFinite(box[2]) ||
        !isFinite(box[3])) {
      atomicMin(error, (u64)p.image << 8 | 3);
      continue;
    }
    float y = cropPosition(p.y, toHeight, box[0], box[2], height);
    float x = cropPosition(p.x, toWidth, box[1], box[3], width);
    image *= height * width;
    if (!(y >= 0 && y <= (float)(height - 1) && x >= 0 && x <= (float)(width - 1))) {
      to[i] = outside;
    } else if (nearest) {
      int pixel = image + nearestIndex(y) * width + nearestIndex(x);
      to[i] = load<false>(from, dtype, pixel * channels + (int)p.channel);
    } else {
      to[i] = between<false>(from, dtype, image, width, channels, neighbors(y, height), neighbors(x, width), (int)p.channel);
    }
  }
}

// Weighted sums along an axis: output o is that of the inputs from starts[o] on with the weights from firsts[o] to
// firsts[o + 1]. `inner` elements lie between one index of the axis and the next.
KERNEL resample(const void *from, const int *starts, const int *firsts, const float *weights, float *to, u32 count,
                int dtype, int size, int toSize, int inner) {
  EACH_ELEMENT(i, count) {
    u32 rest = i / (u32)inner, k = i - rest * (u32)inner;
    u32 outer = rest / (u32)toSize, o = rest - outer * (u32)toSize;
    int first = firsts[o], end = firsts[o + 1];
    int at = ((int)outer * size + starts[o]) * inner + (int)k;
    float total = 0;
    for (int tap = first; tap < end; tap++, at += inner) total += weights[tap] * load<true>(from, dtype, at);
    to[i] = total;
  }
}
