package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class DeviceMemoryPoolTest {
  private static final FakeCudaConfig SMALL = FakeCudaConfig.DEFAULT.withMemoryBytes(16 << 20);

  /** A buffer whose bytes all have one value. */
  private record Filled(DeviceBuffer buffer, int value) {}

  @Test
  void randomBuffersOnStreams_keepTheirContent_andAllMemoryComesBack() {
    for (long seed = 0; seed < 12; seed++) {
      GpuOptions options = GROWING.withAllowGrowth(seed % 2 == 0);
      FakeCudaConfig config = FakeCudaConfig.DEFAULT.withMemoryBytes(6 << 20).withSeed(seed);
      try (GpuFixture gpu = GpuFixture.open(config, options)) {
        useAtRandom(gpu, new Random(seed));
        checkTiling(gpu.context());
        assertThat(gpu.context().memory().inUse()).isZero();
        assertThat(gpu.context().pool().regions()).allMatch(MemoryRegion::isFree);
      }
    }
  }

  private static void useAtRandom(GpuFixture gpu, Random random) {
    StreamRole[] roles = StreamRole.values();
    List<Filled> live = new ArrayList<>();
    for (int step = 0; step < 120; step++) {
      if (live.isEmpty() || random.nextInt(5) < 3) {
        long bytes = 1L + random.nextInt(random.nextInt(8) == 0 ? 3 << 20 : 4096);
        StreamRole role = roles[random.nextInt(roles.length)];
        try {
          DeviceBuffer buffer = gpu.allocate(bytes, role);
          int value = random.nextInt(128);
          gpu.fill(buffer, value, roles[random.nextInt(roles.length)]);
          live.add(new Filled(buffer, value));
        } catch (StatusException e) {
          assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
          live.removeFirst().buffer().close();
        }
      } else {
        check(gpu, live.remove(random.nextInt(live.size())), random);
      }
      checkTiling(gpu.context());
    }
    live.forEach(filled -> check(gpu, filled, random));
  }

  /** Copies the buffer on a stream, closes it at once, and reads the copy. */
  private static void check(GpuFixture gpu, Filled filled, Random random) {
    int bytes = (int) Math.min(100, filled.buffer().bytes());
    StreamRole[] roles = StreamRole.values();
    StreamRole role = roles[random.nextInt(roles.length)];
    if (random.nextBoolean()) {
      filled.buffer().close();
      return;
    }
    byte[] read =
        gpu.context()
            .copies()
            .toHost(filled.buffer(), DataType.UINT8, Shape.of(bytes), WAIT)
            .bytes();
    assertThat(read).containsOnly(filled.value());
    gpu.fill(filled.buffer(), 5, role);
    filled.buffer().close();
  }

  /** Blocks lie in their region without gap or overlap, no two free ones adjoin, sums are right. */
  private static void checkTiling(GpuContext context) {
    long inUse = 0;
    long reserved = 0;
    for (MemoryRegion region : context.pool().regions()) {
      long at = region.address();
      boolean wasFree = false;
      for (MemoryBlock block = region.first(); block != null; block = block.behind) {
        assertThat(block.address()).isEqualTo(at).matches(address -> address % 256 == 0);
        at += block.bytes();
        boolean isFree = block.owner() == null;
        assertThat(isFree && wasFree).isFalse();
        wasFree = isFree;
        inUse += isFree ? 0 : block.bytes();
      }
      assertThat(at).isEqualTo(region.address() + region.bytes());
      reserved += region.bytes();
    }
    DeviceMemoryStatistics statistics = context.memory();
    assertThat(statistics.inUse()).isEqualTo(inUse).isLessThanOrEqualTo(statistics.peak());
    assertThat(statistics.reserved()).isEqualTo(reserved).isLessThanOrEqualTo(statistics.limit());
  }

  @Test
  void warmPool_asksTheDriverForNothing() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      long before = 0;
      for (int round = 0; round < 20; round++) {
        if (round == 2) {
          before = gpu.context().memory().driverAllocations();
        }
        DeviceBuffer first = gpu.allocate(1 << 20, StreamRole.TO_DEVICE);
        gpu.fill(first, round, StreamRole.TO_DEVICE);
        DeviceBuffer second = gpu.allocate(1 << 20, StreamRole.COMPUTE);
        gpu.context().stream(StreamRole.COMPUTE).copy(first, second, 1 << 20);
        first.close();
        second.close();
        gpu.context().synchronize(WAIT);
      }
      assertThat(gpu.context().memory().driverAllocations()).isEqualTo(before);
      assertThat(gpu.fake().calls("cuMemFree")).isZero();
    }
  }

  @Test
  @Timeout(120)
  void collector_isAsked_whenMoreThanHalfOfMuchIsInUse() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    BackgroundCollector collector = new BackgroundCollector(asked::countDown);
    FakeCudaConfig config = FakeCudaConfig.DEFAULT.withMemoryBytes(128 << 20);
    try (GpuFixture gpu =
        GpuFixture.open(
            FakeCuda.start(config),
            GpuFixture.driver("ffm"),
            GROWING,
            ticker -> new PinnedBudget(GpuFixture.BUDGET_BYTES, collector, ticker))) {
      try (DeviceBuffer _ = gpu.allocate(20 << 20, StreamRole.COMPUTE)) {
        assertThat(asked.getCount()).isOne();
        try (DeviceBuffer _ = gpu.allocate(70 << 20, StreamRole.COMPUTE)) {
          asked.await();
        }
      }
    }
  }

  @Test
  void reuseOnOneStream_hasNoWait_andOnAnotherOne() {
    GpuOptions options = GpuOptions.DEFAULT;
    try (GpuFixture gpu = GpuFixture.open(SMALL, options)) {
      long all = gpu.context().memory().reserved();
      DeviceBuffer first = gpu.allocate(all, StreamRole.COMPUTE);
      gpu.fill(first, 1, StreamRole.COMPUTE);
      first.close();
      DeviceBuffer second = gpu.allocate(all, StreamRole.COMPUTE);
      gpu.fill(second, 2, StreamRole.COMPUTE);
      second.close();
      assertThat(gpu.fake().calls("cuStreamWaitEvent")).isZero();
      DeviceBuffer third = gpu.allocate(all, StreamRole.TO_DEVICE);
      gpu.fill(third, 3, StreamRole.TO_DEVICE);
      third.close();
      assertThat(gpu.fake().calls("cuStreamWaitEvent")).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void exhaustion_namesTheOwners_andTheDeviceGoesOn() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GpuOptions.DEFAULT)) {
      DeviceBuffer weights = gpu.context().allocate(9 << 20, "dense/kernel", compute(), WAIT);
      List<DeviceBuffer> small = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        small.add(gpu.context().allocate((i + 1) << 10, "op" + i / 2, compute(), WAIT));
      }
      assertExhausted(() -> gpu.allocate(8 << 20, compute()))
          .hasMessageStartingWith("GPU 0 (Headrace Fake GPU) has no 8.0 MiB for test: of 16.0 MiB,")
          .hasMessageContaining(
              "\n  9.0 MiB in 1 piece: dense/kernel\n  47.0 KiB in 2 pieces: op11")
          .hasMessageEndingWith("21.0 KiB in 6 pieces: 3 others, the first of them op2");
      weights.close();
      gpu.allocate(8 << 20, compute()).close();
      small.forEach(DeviceBuffer::close);
    }
  }

  private static StreamRole compute() {
    return StreamRole.COMPUTE;
  }

  private static AbstractThrowableAssert<?, ?> assertExhausted(ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
  }

  @Test
  void freeRegions_areGivenBackForALargerOne() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      List<DeviceBuffer> parts = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        parts.add(gpu.allocate(2 << 20, compute()));
      }
      for (DeviceBuffer part : parts) {
        gpu.fill(part, 1, StreamRole.TO_HOST);
        part.close();
      }
      DeviceBuffer large = gpu.allocate(15 << 20, compute());
      gpu.fill(large, 2, compute());
      assertThat(gpu.context().memory().reserved()).isLessThanOrEqualTo(16 << 20);
      large.close();
    }
  }

  @Test
  void driverWithoutMemory_isAskedForLess_andThenTheRestIsUsed() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      long taken = gpu.driver().memAlloc(15 << 20);
      DeviceBuffer first = gpu.allocate(300 << 10, compute());
      assertExhausted(() -> gpu.allocate(1 << 20, compute()));
      gpu.allocate(100 << 10, compute()).close();
      gpu.driver().memFree(taken);
      gpu.allocate(1 << 20, compute()).close();
      first.close();
    }
  }

  @Test
  void plannedFailure_ofAnAllocation_isMadeUpFor() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      gpu.fake().failCall("cuMemAlloc", 1, CudaError.OUT_OF_MEMORY);
      gpu.allocate(1000, compute()).close();
      assertThat(gpu.context().memory().driverAllocations()).isEqualTo(2);
    }
  }

  @Test
  void noBytes_areABuffer() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      DeviceBuffer none = gpu.allocate(0, compute());
      assertThat(none.address()).isZero();
      none.close();
      assertThat(gpu.context().memory().driverAllocations()).isZero();
    }
  }

  @Test
  void closedBuffer_isNotUsed() {
    try (GpuFixture gpu = GpuFixture.open(SMALL, GROWING)) {
      DeviceBuffer buffer = gpu.allocate(8, compute());
      buffer.retain().close();
      assertThat(buffer.address()).isNotZero();
      buffer.close();
      String message = "a buffer of 8 bytes of test on GPU 0 (Headrace Fake GPU) is used after it";
      assertThatThrownBy(buffer::address).hasMessageStartingWith(message);
      assertThatThrownBy(buffer::close).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> gpu.fill(buffer, 1, compute())).hasMessageStartingWith(message);
    }
  }
}
