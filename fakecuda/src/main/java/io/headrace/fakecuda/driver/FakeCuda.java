package io.headrace.fakecuda.driver;

import io.headrace.fakecuda.machine.MemoryTraffic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A CUDA driver without a GPU. Kernels run in an interpreter, which checks every access; work runs
 * late and in a random order of those that are legal, decided by the config's seed.
 *
 * <p>A process has one library, and one fake driver behind it at a time: {@link #start} replaces
 * the one before. A caller loads {@link #library} as it would load the driver's. Thread-safe.
 */
public final class FakeCuda implements AutoCloseable {
  private final DriverState state;

  private FakeCuda(DriverState state) {
    this.state = state;
  }

  /** The library {@code libcuda.so.1}; loaded, so that a library that needs it is bound to it. */
  public static Path library() {
    return CudaStub.library();
  }

  /** Lets the library be the driver of a machine. */
  public static FakeCuda start(FakeCudaConfig config) {
    DriverState state = new DriverState(config);
    CudaStub.use(state);
    return new FakeCuda(state);
  }

  /**
   * Lets the {@code nth} call of a function from now on fail: 1 for the next {@code cuMemAlloc}.
   */
  public void failCall(String function, int nth, CudaError error) {
    synchronized (CudaStub.LOCK) {
      state.failures().plan(function, nth, error);
    }
  }

  /** The calls of a function so far. */
  public int calls(String function) {
    synchronized (CudaStub.LOCK) {
      return state.failures().calls(function);
    }
  }

  /** The instructions that all threads of the launches so far have executed together. */
  public long steps() {
    synchronized (CudaStub.LOCK) {
      return state.steps();
    }
  }

  /**
   * Counts, from now on, how launches use global memory; it is complete when {@link #faults} has
   * run what is left.
   */
  public MemoryTraffic countTraffic() {
    synchronized (CudaStub.LOCK) {
      return state.countTraffic();
    }
  }

  /** Loses a device: its pending work is dropped, and calls in its context fail. */
  public void loseDevice(int ordinal, CudaError error) {
    synchronized (CudaStub.LOCK) {
      state.devices().get(ordinal).lose(error);
    }
  }

  /**
   * Runs all work that is left, and tells what went wrong so far: the faults of kernels and copies,
   * and errors of the fake driver itself.
   */
  public List<String> faults() {
    synchronized (CudaStub.LOCK) {
      List<String> faults = new ArrayList<>(CudaStub.bugs());
      state
          .devices()
          .forEach(device -> {
            device.timeline().drain();
            faults.addAll(device.faults());
          });
      return faults;
    }
  }

  /** Device memory, pinned memory, and handles that are not freed, in words. */
  public List<String> leaks() {
    synchronized (CudaStub.LOCK) {
      List<String> leaks = new ArrayList<>();
      for (FakeDevice device : state.devices()) {
        device.memory().leaks().forEach(address -> leaks.add("memory at " + address));
        device
            .handles()
            .values()
            .forEach(thing -> leaks.add("a " + thing.getClass().getSimpleName()));
      }
      for (int i = 0; i < state.pinned().blocks(); i++) {
        leaks.add("pinned memory");
      }
      for (int i = 0; i < state.pinned().registered(); i++) {
        leaks.add("registered memory");
      }
      return leaks;
    }
  }

  /** Runs all work that is left, and ends the driver: each call of the library fails then. */
  @Override
  public void close() {
    synchronized (CudaStub.LOCK) {
      state.devices().forEach(device -> device.timeline().drain());
      state.pinned().freeAll();
      CudaStub.stopUsing(state);
    }
  }
}
