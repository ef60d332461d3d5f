// Where pixels of an image lie in another one, and what lies between four pixels: in float, without fused
// multiply-adds, as on the CPU.

// The neighbors of a position among `size` pixels, and the distance from the first.
struct Neighbors {
  int lower;
  int upper;
  float fraction;
};

// A pixel's position in another image: `scale` pixels of that are one of this.
INLINE float position(u32 i, float scale, int halfPixelCenters) {
  return halfPixelCenters ? ((float)(int)i + 0.5f) * scale : (float)(int)i * scale;
}

INLINE Neighbors neighbors(float at, int size) {
  float floor = floorf(at);
  return {max((int)floor, 0), min((int)ceilf(at), size - 1), at - floor};
}

INLINE float mixed(float a, float b, float fraction) { return a + (b - a) * fraction; }
