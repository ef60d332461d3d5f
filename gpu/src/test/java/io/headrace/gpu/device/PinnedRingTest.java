package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class PinnedRingTest {
  /** A thread that waits for a slot. */
  private record Taker(Cancellation cancellation, CompletableFuture<MemorySegment> slot) {
    static Taker start(PinnedRing ring) {
      Taker taker = new Taker(new Cancellation(), new CompletableFuture<>());
      var _ =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  taker.slot.complete(ring.take(HostWait.until(taker.cancellation)));
                } catch (RuntimeException e) {
                  taker.slot.completeExceptionally(e);
                }
              });
      while (!taker.cancellation.hasActions()) {
        Thread.onSpinWait();
      }
      return taker;
    }

    /** The slot, or the failure of the wait, in a time that only a hang needs. */
    MemorySegment await() {
      return new HostWait(Duration.ofMinutes(1), new Cancellation()).await(slot, "the taker");
    }
  }

  @Test
  void firstToWait_getsTheNextSlot() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      PinnedRing ring = gpu.context().ring(StreamRole.TO_DEVICE);
      MemorySegment first = ring.take(WAIT);
      MemorySegment second = ring.take(WAIT);
      assertThat(ring.tryTake()).isNull();
      Taker early = Taker.start(ring);
      Taker late = Taker.start(ring);
      ring.give(second);
      assertThat(early.await()).isEqualTo(second);
      assertThat(late.slot().isDone()).isFalse();
      ring.give(first);
      assertThat(late.await()).isEqualTo(first);
      ring.give(first);
      ring.give(second);
      assertThat(ring.idle()).isEqualTo(2);
      assertThat(gpu.fake().calls("cuMemHostAlloc")).isEqualTo(2);
    }
  }

  @Test
  void cancelledAndLateWaits_takeNoSlot() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      PinnedRing ring = gpu.context().ring(StreamRole.TO_HOST);
      MemorySegment first = ring.take(WAIT);
      MemorySegment second = ring.take(WAIT);
      Taker cancelled = Taker.start(ring);
      Taker other = Taker.start(ring);
      cancelled.cancellation().cancel();
      assertFails(StatusCode.CANCELLED, cancelled::await)
          .hasMessageContaining("a pinned buffer of GPU 0 (Headrace Fake GPU) was cancelled");
      assertFails(
              StatusCode.DEADLINE_EXCEEDED,
              () -> ring.take(new HostWait(Duration.ofMillis(1), new Cancellation())))
          .hasMessageContaining("a pinned buffer of GPU 0 (Headrace Fake GPU) was not done in");
      ring.give(first);
      assertThat(other.await()).isEqualTo(first);
      ring.give(first);
      ring.give(second);
      assertThat(ring.idle()).isEqualTo(2);
    }
  }

  @Test
  void loss_endsTheWaits() {
    GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING);
    PinnedRing ring = gpu.context().ring(StreamRole.TO_DEVICE);
    var _ = ring.take(WAIT);
    var _ = ring.take(WAIT);
    Taker waiting = Taker.start(ring);
    GpuContext context = gpu.context();
    gpu.fake().loseDevice(0, CudaError.LAUNCH_FAILED);
    assertFails(StatusCode.UNAVAILABLE, () -> context.synchronize(WAIT));
    assertFails(StatusCode.UNAVAILABLE, waiting::await)
        .hasMessageContaining("GPU 0 (Headrace Fake GPU) was lost with all that its memory held");
    assertFails(StatusCode.UNAVAILABLE, () -> ring.take(WAIT));
    gpu.closeWithFaults();
  }

  @Test
  void refusedMemory_isAnError_andTheNextSlotIsMade() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      PinnedRing ring = gpu.context().ring(StreamRole.TO_DEVICE);
      gpu.fake().failCall("cuMemHostAlloc", 1, CudaError.OUT_OF_MEMORY);
      assertFails(StatusCode.RESOURCE_EXHAUSTED, () -> ring.take(WAIT));
      ring.give(ring.take(WAIT));
    }
  }
}
