package io.headrace.gpu.cuda;

/** The attributes of kernels that Headrace uses (CUfunction_attribute of cuda.h). */
public enum FunctionAttribute {
  /** Threads in a block of this kernel, at most. */
  MAX_THREADS_PER_BLOCK(0),
  /** Bytes of shared memory that the kernel declares. */
  SHARED_SIZE_BYTES(1),
  /** Bytes of local memory of a thread: spilled registers and arrays. */
  LOCAL_SIZE_BYTES(3),
  /** Registers of a thread. */
  NUM_REGS(4),
  /** The limit of dynamic shared memory, in bytes; may be set. */
  MAX_DYNAMIC_SHARED_SIZE_BYTES(8);

  private final int code;

  FunctionAttribute(int code) {
    this.code = code;
  }

  /** The number in cuda.h. */
  public int code() {
    return code;
  }
}
