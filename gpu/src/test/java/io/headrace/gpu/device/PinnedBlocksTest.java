package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SuppressWarnings("ReachabilityFenceUsage") // a failed test need not keep anything
final class PinnedBlocksTest {
  private static final int BLOCK = 64 << 10;
  private static final int BLOCKS = 4;

  /** A device, and the budget of its results. */
  private record Lab(GpuFixture gpu, PinnedBudget budget) implements AutoCloseable {
    static Lab open(String binding, FakeCudaConfig config) {
      return open(binding, config, BackgroundCollector.JVM);
    }

    static Lab open(String binding, FakeCudaConfig config, BackgroundCollector collector) {
      AtomicReference<PinnedBudget> made = new AtomicReference<>();
      GpuFixture gpu =
          GpuFixture.open(
              FakeCuda.start(config),
              GpuFixture.driver(binding),
              GROWING,
              ticker -> {
                made.set(new PinnedBudget((long) BLOCKS * BLOCK, collector, ticker));
                return requireNonNull(made.get());
              });
      return new Lab(gpu, requireNonNull(made.get()));
    }

    static Lab open() {
      return open("ffm", FakeCudaConfig.DEFAULT);
    }

    Optional<MemorySegment> take(long bytes) {
      return gpu.context().blocks().tryTake(bytes);
    }

    /** The segments of as many blocks as there can be. */
    List<MemorySegment> takeAll() {
      List<MemorySegment> all = new ArrayList<>();
      for (Optional<MemorySegment> next = take(BLOCK); next.isPresent(); next = take(BLOCK)) {
        all.add(next.get());
      }
      return all;
    }

    /** Waits until no more than {@code bytes} are lent; nothing but a leak needs that time. */
    void awaitLent(long bytes) {
      for (int tries = 0; budget.lent() > bytes; tries++) {
        assertThat(tries).as("%d bytes lent", budget.lent()).isLessThan(1000);
        System.gc();
        sleep();
      }
    }

    /** A buffer of {@code value}s that is copied to the host, at least one block of them. */
    MemorySegment copied(int value) {
      try (DeviceBuffer buffer = gpu.allocate(BLOCK, StreamRole.COMPUTE)) {
        gpu.fill(buffer, value, StreamRole.COMPUTE);
        return gpu.context().copies().toPinned(buffer, BLOCK, WAIT).orElseThrow();
      }
    }

    @Override
    public void close() {
      gpu.close();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(Duration.ofMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Set<Long> addresses(List<MemorySegment> segments) {
    Set<Long> addresses = new HashSet<>();
    segments.forEach(segment -> addresses.add(segment.address()));
    return addresses;
  }

  @Test
  void sizes_areEighthsBetweenPowersOfTwo() {
    assertThat(PinnedBlocks.blockBytes(1)).isEqualTo(64 << 10);
    assertThat(PinnedBlocks.blockBytes(1 << 20)).isEqualTo(1 << 20);
    assertThat(PinnedBlocks.blockBytes((1 << 20) + 1)).isEqualTo((1 << 20) + (128 << 10));
    assertThat(PinnedBlocks.blockBytes(154_140_672)).isEqualTo((128 << 20) + (32 << 20));
    assertThat(PinnedBlocks.blockBytes((1L << 31) - 1)).isEqualTo(1L << 31);
  }

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void results_areCopiedByTheDevice(String binding) {
    try (Lab lab = Lab.open(binding, FakeCudaConfig.DEFAULT)) {
      MemorySegment sevens = lab.copied(7);
      MemorySegment eights = lab.copied(8);
      assertThat(sevens.byteSize()).isEqualTo(BLOCK);
      assertThat(sevens.toArray(JAVA_BYTE)).containsOnly(7);
      assertThat(eights.toArray(JAVA_BYTE)).containsOnly(8);
      assertThat(lab.gpu().fake().calls("cuMemHostAlloc")).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void blocks_serveAgain_whenNobodyCanReadThem(String binding) {
    try (Lab lab = Lab.open(binding, FakeCudaConfig.DEFAULT)) {
      Set<Long> first = addresses(lab.takeAll());
      assertThat(first).hasSize(BLOCKS);
      lab.awaitLent(0);
      Set<Long> second = addresses(lab.takeAll());
      lab.awaitLent(0);
      assertThat(second).isEqualTo(first);
      assertThat(lab.gpu().fake().calls("cuMemHostRegister")).isEqualTo(BLOCKS);
      assertThat(lab.budget().taken()).isEqualTo((long) BLOCKS * BLOCK);
    }
  }

  @Test
  void block_isNotLent_whileASliceOrABufferOfItIsReachable() {
    try (Lab lab = Lab.open()) {
      List<Object> kept = partsOfAll(lab);
      for (int left = BLOCKS - 1; left > 0; left--) {
        kept.removeLast();
        lab.awaitLent((long) left * BLOCK);
        System.gc();
        assertThat(lab.budget().lent()).isEqualTo((long) left * BLOCK);
      }
      Reference.reachabilityFence(kept);
    }
  }

  /** A part of each block; in a method of its own, whose variables are gone. */
  private static List<Object> partsOfAll(Lab lab) {
    List<Object> parts = new ArrayList<>();
    for (MemorySegment segment : lab.takeAll()) {
      parts.add(
          switch (parts.size()) {
            case 0 -> segment.asSlice(BLOCK - 8);
            case 1 -> segment.asByteBuffer();
            default -> segment.asReadOnly();
          });
    }
    return parts;
  }

  @Test
  void exhaustedBudget_givesNothing_andNoFewBytesGetABlock() {
    try (Lab lab = Lab.open()) {
      List<MemorySegment> all = lab.takeAll();
      try (DeviceBuffer buffer = lab.gpu().allocate(BLOCK, StreamRole.COMPUTE)) {
        lab.gpu().fill(buffer, 7, StreamRole.COMPUTE);
        assertThat(lab.gpu().context().copies().toPinned(buffer, BLOCK, WAIT)).isEmpty();
        all.clear();
        lab.awaitLent(0);
        assertThat(lab.gpu().context().copies().toPinned(buffer, 4095, WAIT)).isEmpty();
        assertThat(lab.gpu().context().copies().toPinned(buffer, 4096, WAIT)).isPresent();
      }
    }
  }

  @Test
  void staleBlocks_makeRoomForOtherSizes() {
    try (Lab lab = Lab.open()) {
      assertThat(lab.takeAll()).hasSize(BLOCKS);
      lab.awaitLent(0);
      assertThat(lab.take(BLOCKS * BLOCK)).isEmpty();
      lab.gpu().nanos().addAndGet(Duration.ofSeconds(10).toNanos());
      MemorySegment large = lab.take(BLOCKS * BLOCK).orElseThrow();
      assertThat(lab.gpu().fake().calls("cuMemHostUnregister")).isEqualTo(BLOCKS);
      assertThat(lab.budget().taken()).isEqualTo(large.byteSize());
      Reference.reachabilityFence(large);
    }
  }

  @Test
  void refusedMemory_leavesResultsToTheHeap() {
    for (CudaError error : new CudaError[] {CudaError.OUT_OF_MEMORY, CudaError.INVALID_VALUE}) {
      try (Lab lab = Lab.open()) {
        MemorySegment first = lab.copied(7);
        lab.gpu().fake().failCall("cuMemHostRegister", 1, error);
        assertThat(lab.take(BLOCK)).isEmpty();
        assertThat(lab.take(BLOCK)).isEmpty();
        assertThat(lab.budget().taken()).isEqualTo(BLOCK);
        assertThat(first.toArray(JAVA_BYTE)).containsOnly(7);
      }
    }
  }

  @Test
  void collector_isAskedOnce_whenMoreThanHalfIsLent() {
    AtomicInteger collections = new AtomicInteger();
    BackgroundCollector collector =
        new BackgroundCollector(() -> {
          assertThat(Thread.currentThread().isDaemon()).isTrue();
          collections.incrementAndGet();
          // For ever, as far as the test knows.
          sleepUntilInterrupted();
        });
    try (Lab lab = Lab.open("ffm", FakeCudaConfig.DEFAULT, collector)) {
      List<MemorySegment> kept = new ArrayList<>();
      kept.add(lab.take(BLOCK).orElseThrow());
      kept.add(lab.take(BLOCK).orElseThrow());
      assertThat(collections).hasValue(0);
      kept.addAll(lab.takeAll());
      assertThat(kept).hasSize(BLOCKS);
      while (collections.get() == 0) {
        Thread.onSpinWait();
      }
      assertThat(lab.take(BLOCK)).isEmpty();
      assertThat(collections).hasValue(1);
      Reference.reachabilityFence(kept);
    }
  }

  private static void sleepUntilInterrupted() {
    try {
      Thread.sleep(Duration.ofDays(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void manyThreads_neverReadEachOthersResults() {
    for (long seed = 0; seed < 5; seed++) {
      try (Lab lab = Lab.open("ffm", FakeCudaConfig.DEFAULT.withSeed(seed));
          ExecutorService threads = Executors.newFixedThreadPool(4)) {
        List<Future<?>> done = new ArrayList<>();
        IntStream.range(1, 5)
            .forEach(thread -> done.add(threads.submit(() -> readBack(lab, thread))));
        for (var one : done) {
          assertThat(one).succeedsWithin(Duration.ofMinutes(5));
        }
      }
    }
  }

  private static void readBack(Lab lab, int thread) {
    List<MemorySegment> kept = new ArrayList<>();
    TensorCopies copies = lab.gpu().context().copies();
    for (int round = 0; round < 20; round++) {
      int value = 20 * thread + round;
      try (DeviceBuffer buffer = lab.gpu().allocate(BLOCK, StreamRole.COMPUTE)) {
        lab.gpu().fill(buffer, value, StreamRole.COMPUTE);
        copies.toPinned(buffer, BLOCK, WAIT).ifPresent(kept::add);
      }
      kept.forEach(segment -> {
        byte first = segment.get(JAVA_BYTE, 0);
        assertThat(first / 20).isEqualTo(thread);
        assertThat(segment.toArray(JAVA_BYTE)).containsOnly(first);
      });
      if (round % 3 == 2) {
        kept.clear();
        System.gc();
      }
    }
  }

  @Test
  void cancelledCopy_keepsItsBlockUntilTheDeviceIsDone() {
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    HostWait stopped = new HostWait(Duration.ofMinutes(1), cancelled);
    try (Lab lab = Lab.open()) {
      try (DeviceBuffer buffer = lab.gpu().allocate(BLOCK, StreamRole.COMPUTE)) {
        lab.gpu().fill(buffer, 7, StreamRole.COMPUTE);
        for (int i = 0; i < 3; i++) {
          assertFails(
              StatusCode.CANCELLED,
              () -> lab.gpu().context().copies().toPinned(buffer, BLOCK, stopped));
        }
        System.gc();
      }
      lab.gpu().context().synchronize(WAIT);
      lab.awaitLent(0);
    }
  }

  @Test
  void lostContext_leavesResultsReadable_andTheNextOneHasItsOwn() {
    FakeCudaConfig config = FakeCudaConfig.DEFAULT.withRecoversFromFaults(true);
    Lab lab = Lab.open("ffm", config);
    GpuFixture gpu = lab.gpu();
    MemorySegment before = lab.copied(7);
    assertThat(lab.copied(9).byteSize()).isEqualTo(BLOCK);
    GpuContext lost = gpu.context();
    gpu.fake().loseDevice(0, CudaError.LAUNCH_FAILED);
    assertFails(StatusCode.UNAVAILABLE, () -> lost.synchronize(WAIT));
    assertFails(StatusCode.UNAVAILABLE, () -> lost.blocks().tryTake(BLOCK));
    assertThat(before.toArray(JAVA_BYTE)).containsOnly(7);

    gpu.nanos().addAndGet(Duration.ofHours(1).toNanos());
    MemorySegment after = lab.copied(8);
    assertThat(after.toArray(JAVA_BYTE)).containsOnly(8);
    assertThat(before.toArray(JAVA_BYTE)).containsOnly(7);
    Reference.reachabilityFence(before);
    before = MemorySegment.NULL;
    lab.awaitLent(BLOCK);
    assertThat(before.byteSize()).isZero();
    // The lost context's blocks are free, and not lent again.
    assertThat(lab.budget().taken()).isEqualTo(BLOCK);
    Reference.reachabilityFence(after);
    gpu.closeWithFaults();
  }

  @Test
  void closedDevice_leavesResultsReadable() {
    Lab lab = Lab.open();
    MemorySegment result = lab.copied(7);
    lab.close();
    assertThat(result.toArray(JAVA_BYTE)).containsOnly(7);
    assertThat(lab.budget().taken()).isEqualTo(BLOCK);
    Reference.reachabilityFence(result);
    result = MemorySegment.NULL;
    lab.awaitLent(0);
    assertThat(lab.budget().taken()).isZero();
    assertThat(result.byteSize()).isZero();
  }

  @Test
  void tensorOutsideTheHeap_isWrittenToADevice() {
    try (Lab lab = Lab.open()) {
      Tensor tensor = TensorMemory.ofSegment(DataType.INT32, Shape.of(BLOCK / 4), lab.copied(1));
      TensorCopies copies = lab.gpu().context().copies();
      try (DeviceBuffer buffer = copies.toDevice(tensor, "test", WAIT)) {
        MemorySegment back = copies.toPinned(buffer, BLOCK, WAIT).orElseThrow();
        assertThat(back.toArray(JAVA_INT)).containsOnly(0x01010101);
      }
    }
  }
}
