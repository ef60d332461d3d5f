// Kernels for NvrtcKernelsTest. kernels.ptx is what NVRTC 12.9.86 makes of them for compute_70 with --fmad=false;
// kernels.py beside it makes it again.

// y[i] = min(max(x[i] * a + b, 0), 6), in a loop over the grid.
extern "C" __global__ void affine(const unsigned char *__restrict__ x, float *__restrict__ y, float a, float b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i] * a + b;
    y[i] = fminf(fmaxf(v, 0.0f), 6.0f);
  }
}

// out[0] += the sum of x: shuffles within warps, shared memory across them, one atomic addition a block.
extern "C" __global__ void sum(const int *x, int *out, int n) {
  __shared__ int partial[32];
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k);
  if (threadIdx.x == 0) atomicAdd(out, v);
}

// y = x transposed, of rows by columns, through tiles of 16 x 16 with a column to spare.
extern "C" __global__ void transpose(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  int toColumn = blockIdx.y * 16 + threadIdx.x, toRow = blockIdx.x * 16 + threadIdx.y;
  if (toRow < columns && toColumn < rows) y[toRow * rows + toColumn] = tile[threadIdx.x][threadIdx.y];
}

// The integer operations whose code is not one instruction.
__device__ __noinline__ long long mix(long long a, int b) { return a / (b | 1) + a % (b | 1); }

extern "C" __global__ void integers(const long long *x, long long *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long a = x[i];
  unsigned int u = (unsigned int)a;
  long long r = mix(a, (int)(a >> 32)) ^ __popcll(a) ^ ((long long)__clz(u) << 8);
  r ^= (long long)__brev(u) << 16 ^ (u / 7u) ^ (u % 10u) ^ (a / 1000003LL);
  y[i] = r ^ __byte_perm(u, (unsigned int)r, 0x5140) ^ (long long)__umulhi(u, 0x9e3779b9u);
}

// Floats to integers and back, to halves' bits, and comparisons.
extern "C" __global__ void floats(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  double d = (double)v * 1.25 - 3.0;
  int k = __float2int_rn(v) + (int)v + (int)floorf(v) + (int)d;
  unsigned char byte = (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);
  float r = (float)k + (float)d + (float)byte + sqrtf(fabsf(v)) + __frcp_rn(v + 1000.0f) + copysignf(2.0f, v) + truncf(v) + rintf(v * 0.5f);
  y[i] = v != v ? -1.0f : v / 3.0f > 1.0f || v < -10.0f ? r : __fmaf_rn(v, v, r);
}
