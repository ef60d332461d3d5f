package io.headrace.gpu.cuda;

/** The attributes of devices that Headrace asks for (CUdevice_attribute of cuda.h). */
public enum DeviceAttribute {
  /** Threads in a block, at most. */
  MAX_THREADS_PER_BLOCK(1),
  /** Blocks in a grid's first dimension, at most. */
  MAX_GRID_DIM_X(5),
  /** Bytes of shared memory in a block, without opting in to more. */
  MAX_SHARED_MEMORY_PER_BLOCK(8),
  /** Threads in a warp. */
  WARP_SIZE(10),
  /** The number of multiprocessors. */
  MULTIPROCESSOR_COUNT(16),
  /** Whether the device is a part of the processor and shares its memory: 0 or 1. */
  INTEGRATED(18),
  /** 2 if the device accepts no contexts. */
  COMPUTE_MODE(20),
  /** Whether kernels of different streams may run at a time: 0 or 1. */
  CONCURRENT_KERNELS(31),
  /** The peak clock of the memory, in kHz. */
  MEMORY_CLOCK_RATE(36),
  /** The width of the memory bus, in bits. */
  GLOBAL_MEMORY_BUS_WIDTH(37),
  /** Bytes of the second-level cache. */
  L2_CACHE_SIZE(38),
  /** Copies that run beside kernels. */
  ASYNC_ENGINE_COUNT(40),
  /** The compute capability's first number. */
  COMPUTE_CAPABILITY_MAJOR(75),
  /** The compute capability's second number. */
  COMPUTE_CAPABILITY_MINOR(76),
  /** Bytes of shared memory that a kernel can opt in to. */
  MAX_SHARED_MEMORY_PER_BLOCK_OPTIN(97);

  private final int code;

  DeviceAttribute(int code) {
    this.code = code;
  }

  /** The number in cuda.h. */
  public int code() {
    return code;
  }
}
