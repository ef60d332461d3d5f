package io.headrace.fakecuda.driver;

/** A call that is answered with an error of cuda.h. */
final class DriverError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final CudaError error;

  DriverError(CudaError error) {
    super(error.description(), null, false, false);
    this.error = error;
  }

  CudaError error() {
    return error;
  }
}
