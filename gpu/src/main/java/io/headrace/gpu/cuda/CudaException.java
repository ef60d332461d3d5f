package io.headrace.gpu.cuda;

/** A call of the CUDA driver that failed; the message has the call, the code and its name. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CudaResult result;

  /**
   * The failure of a call.
   *
   * @param function the name in cuda.h
   * @param code the CUresult
   * @param explanation the driver's name and description of the code
   */
  CudaException(String function, int code, String explanation) {
    super(function + ": " + explanation + " (" + code + ")");
    this.result = CudaResult.of(code);
  }

  /** The failed call's result. */
  public CudaResult result() {
    return result;
  }
}
