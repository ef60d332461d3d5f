package io.headrace.gpu.cuda;

/** A call of cuBLAS that failed; the message has the call, the code and its name. */
public final class CublasException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CublasStatus status;

  /**
   * The failure of a call.
   *
   * @param function the name in cublas_api.h
   * @param code the cublasStatus_t
   */
  CublasException(String function, int code) {
    super(function + ": CUBLAS_STATUS_" + CublasStatus.of(code) + " (" + code + ")");
    this.status = CublasStatus.of(code);
  }

  /** The failed call's status. */
  public CublasStatus status() {
    return status;
  }
}
