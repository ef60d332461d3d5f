package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A driver that leaves out one wait of a stream for an event. */
final class WaitDropper {
  private final int dropped;
  private int waits;

  /**
   * Counts waits.
   *
   * @param dropped the number of the wait that is left out, from 1; 0 for none
   */
  WaitDropper(int dropped) {
    this.dropped = dropped;
  }

  /** The waits so far. */
  int waits() {
    return waits;
  }

  /** A driver that passes on all calls but that one. */
  CudaDriver around(CudaDriver driver) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("streamWaitEvent") && ++waits == dropped) {
                return null;
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
