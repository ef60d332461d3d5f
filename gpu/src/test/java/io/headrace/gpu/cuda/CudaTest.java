package io.headrace.gpu.cuda;

/** A test that uses a device. */
@FunctionalInterface
interface CudaTest {
  void use(CudaSession session) throws InterruptedException;

  /** Runs the test; an interrupt fails it. */
  default void run(CudaSession session) {
    try {
      use(session);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
