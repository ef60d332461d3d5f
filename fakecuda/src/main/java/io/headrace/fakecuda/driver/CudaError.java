package io.headrace.fakecuda.driver;

import java.util.Arrays;
import java.util.Optional;

/** The errors that the fake driver answers with (CUresult of cuda.h). */
public enum CudaError {
  /** None. */
  SUCCESS(0, "no error"),
  /** An argument is out of range. */
  INVALID_VALUE(1, "invalid argument"),
  /** There is not enough memory. */
  OUT_OF_MEMORY(2, "out of memory"),
  /** There is no device. */
  NO_DEVICE(100, "no CUDA-capable device is detected"),
  /** There is no device of this number. */
  INVALID_DEVICE(101, "invalid device ordinal"),
  /** No context is current on the thread, or another one than the handle's. */
  INVALID_CONTEXT(201, "invalid device context"),
  /** The PTX does not compile. */
  INVALID_PTX(218, "a PTX JIT compilation failed"),
  /** A handle is not one, or no longer. */
  INVALID_HANDLE(400, "invalid resource handle"),
  /** A module lacks a name. */
  NOT_FOUND(500, "named symbol not found"),
  /** Work is not done. */
  NOT_READY(600, "device not ready"),
  /** A kernel or a copy used an address outside of allocations. */
  ILLEGAL_ADDRESS(700, "an illegal memory access was encountered"),
  /** Host memory is registered already, or overlaps with such memory. */
  HOST_MEMORY_ALREADY_REGISTERED(
      712, "part or all of the requested memory range is already mapped"),
  /** Host memory is not registered. */
  HOST_MEMORY_NOT_REGISTERED(713, "pointer does not correspond to a registered memory region"),
  /** A kernel ran too long. */
  LAUNCH_TIMEOUT(702, "the launch timed out and was terminated"),
  /** A kernel used a misaligned address. */
  MISALIGNED_ADDRESS(716, "misaligned address"),
  /** A kernel failed, or did what the interpreter refuses. */
  LAUNCH_FAILED(719, "unspecified launch failure"),
  /** The device, or the fake driver, cannot do that. */
  NOT_SUPPORTED(801, "operation not supported"),
  /** The fake driver failed. */
  UNKNOWN(999, "unknown error");

  private final int code;
  private final String description;

  CudaError(int code, String description) {
    this.code = code;
    this.description = description;
  }

  static Optional<CudaError> of(int code) {
    return Arrays.stream(values()).filter(error -> error.code == code).findFirst();
  }

  /** The number in cuda.h. */
  public int code() {
    return code;
  }

  String description() {
    return description;
  }

  /** The name in cuda.h. */
  String text() {
    return this == SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_" + name();
  }
}
