package io.headrace.gpu.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A device of the fake driver; {@link #close} checks that nothing went wrong there or is left. */
record GpuFixture(FakeCuda fake, CudaDriver driver, GpuDevice device, AtomicLong nanos)
    implements AutoCloseable {
  static final HostWait WAIT = HostWait.uncancelled();

  /** Small enough that tensors of a few hundred bytes are copied in pieces. */
  static final ContextSizes SIZES = new ContextSizes(2, 64, 2, 4096);

  static final long BUDGET_BYTES = 4 << 20;

  static final GpuOptions GROWING = GpuOptions.DEFAULT.withAllowGrowth(true);

  /** y[i] = x[i] + 1 for n ints. */
  static final String PTX =
      """
      .version 7.0
      .target sm_70
      .address_size 64
      .visible .entry increment(.param .u64 x, .param .u64 y, .param .u32 n)
      {
        .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<5>;
        ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n];
        mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
        mad.lo.u32 %r2, %r2, %r3, %r4;
        setp.ge.u32 %p, %r2, %r1;
        @%p bra DONE;
        mad.wide.u32 %d3, %r2, 4, %d1; mad.wide.u32 %d4, %r2, 4, %d2;
        ld.global.u32 %r3, [%d3];
        add.u32 %r3, %r3, 1;
        st.global.u32 [%d4], %r3;
      DONE: ret;
      }
      """;

  static GpuFixture open(FakeCudaConfig config, GpuOptions options) {
    return open("ffm", config, options);
  }

  static GpuFixture open(String binding, FakeCudaConfig config, GpuOptions options) {
    FakeCuda fake = FakeCuda.start(config);
    return open(fake, driver(binding), options);
  }

  static GpuFixture open(FakeCuda fake, CudaDriver driver, GpuOptions options) {
    return open(fake, driver, options, nanos -> budget(BUDGET_BYTES, nanos));
  }

  /** The same with a budget for results that is made for the clock. */
  static GpuFixture open(
      FakeCuda fake, CudaDriver driver, GpuOptions options, Function<Ticker, PinnedBudget> budget) {
    // Held beside the device, so that the context outlives it and shows what it has left there.
    var _ = driver.devicePrimaryCtxRetain(0);
    AtomicLong nanos = new AtomicLong();
    Ticker ticker = nanos::get;
    GpuDevice device = GpuDevice.open(driver, 0, options, ticker, SIZES, budget.apply(ticker));
    return new GpuFixture(fake, driver, device, nanos);
  }

  /** A budget of {@code bytes} bytes, for which the JVM collects garbage. */
  static PinnedBudget budget(long bytes, Ticker ticker) {
    return new PinnedBudget(bytes, BackgroundCollector.JVM, ticker);
  }

  static CudaDriver driver(String binding) {
    return switch (CudaDrivers.search(binding, List.of(FakeCuda.library().toString()))) {
      case CudaSearch.Found(CudaDriver driver, _, _) -> driver;
      case CudaSearch.Absent(String reason, _) -> throw new AssertionError(reason);
    };
  }

  /** The bindings that this platform has. */
  static Stream<String> bindings() {
    return System.getProperty("os.arch").equals("amd64")
        ? Stream.of("ffm", "jcuda")
        : Stream.of("ffm");
  }

  GpuContext context() {
    return device.context();
  }

  DeviceBuffer allocate(long bytes, StreamRole user) {
    return context().allocate(bytes, "test", user, WAIT);
  }

  /** Sets all bytes of a buffer on a stream. */
  void fill(DeviceBuffer buffer, int value, StreamRole stream) {
    context().stream(stream)
        .enqueue(
            List.of(),
            List.of(buffer),
            (cuda, handle) ->
                cuda.memsetD8Async(buffer.address(), (byte) value, buffer.bytes(), handle));
  }

  /** Launches {@link #PTX} for the {@code n} ints of {@code x}. */
  void increment(KernelFunction kernel, DeviceBuffer x, DeviceBuffer y, int n) {
    increment(kernel, x.address(), x, y, n);
  }

  /** The same for ints at {@code address}, which may be wrong. */
  void increment(KernelFunction kernel, long address, DeviceBuffer x, DeviceBuffer y, int n) {
    try (Arena arena = Arena.ofConfined()) {
      KernelArguments arguments =
          KernelArguments.allocate(arena, 3).set(0, address).set(1, y.address()).set(2, n);
      LaunchSize size = LaunchSize.linear((n + 31) / 32, 32);
      context().stream(StreamRole.COMPUTE).launch(kernel, size, arguments, List.of(x), List.of(y));
    }
  }

  /** Asserts that {@code call} fails with {@code code}. */
  static AbstractThrowableAssert<?, ?> assertFails(StatusCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  /** Closes the device alone, which a test expects to fail or to be lost. */
  void closeWithFaults() {
    device.close();
    fake.close();
  }

  @Override
  public void close() {
    try (fake) {
      device.close();
      assertThat(fake.faults()).isEmpty();
      assertThat(fake.leaks()).isEmpty();
    }
  }
}
