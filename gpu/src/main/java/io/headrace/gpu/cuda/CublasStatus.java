package io.headrace.gpu.cuda;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The results of calls of cuBLAS (cublasStatus_t of cublas_api.h). */
public enum CublasStatus {
  /** The call succeeded. */
  SUCCESS(0),
  /** The library or the CUDA runtime in it could not start. */
  NOT_INITIALIZED(1),
  /** There is not enough memory. */
  ALLOC_FAILED(3),
  /** An argument is out of range. */
  INVALID_VALUE(7),
  /** The library has no kernels for the device. */
  ARCH_MISMATCH(8),
  /** Memory of the device could not be mapped. */
  MAPPING_ERROR(11),
  /** A kernel could not be launched. */
  EXECUTION_FAILED(13),
  /** The library failed. */
  INTERNAL_ERROR(14),
  /** The library has no kernel for the arguments. */
  NOT_SUPPORTED(15),
  /** A licence is missing. */
  LICENSE_ERROR(16),
  /** A code that is not in this list. */
  OTHER(-1);

  private static final Map<Integer, CublasStatus> BY_CODE =
      Arrays.stream(values()).collect(Collectors.toMap(CublasStatus::code, Function.identity()));

  private final int code;

  CublasStatus(int code) {
    this.code = code;
  }

  /** The status of the number {@code code}. */
  public static CublasStatus of(int code) {
    return BY_CODE.getOrDefault(code, OTHER);
  }

  /** The number in cublas_api.h; -1 for {@link #OTHER}. */
  public int code() {
    return code;
  }
}
