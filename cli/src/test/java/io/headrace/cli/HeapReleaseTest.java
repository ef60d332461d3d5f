package io.headrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeapReleaseTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** A JVM whose collections take a second. */
  private static final class FakeJvm implements HeapRelease.Memory {
    private long allocated;
    private long committed = 3 * HeapRelease.KEPT_BYTES;
    private long dropped;
    private long now = Long.MAX_VALUE - 5 * SECOND;
    private int collections;
    private final HeapRelease release = new HeapRelease(this, () -> dropped, () -> now);

    @Override
    public long allocatedBytes() {
      return allocated;
    }

    @Override
    public long committedBytes() {
      return committed;
    }

    @Override
    public void collect() {
      now += SECOND;
      collections++;
    }

    /** Checks every ten seconds while the process allocates {@code bytes} between two checks. */
    void run(int seconds, long bytes) {
      for (int i = 0; i < seconds / 10; i++) {
        now += 10 * SECOND;
        allocated += bytes;
        release.check();
      }
    }
  }

  private final FakeJvm jvm = new FakeJvm();

  @Test
  void check_afterAPeak_collectsOnceWhenTheProcessIsIdle() {
    jvm.run(60, HeapRelease.IDLE_BYTES);
    assertEquals(0, jvm.collections);
    jvm.run(10, 1000);
    assertEquals(1, jvm.collections);
    jvm.run(3600, 1000);
    assertEquals(1, jvm.collections);
  }

  @Test
  void check_afterLittleWork_leavesTheHeapAlone() {
    jvm.run(60, HeapRelease.WORTHWHILE_BYTES / 10);
    assertEquals(0, jvm.collections);
  }

  @Test
  void check_withASmallHeap_leavesItAlone() {
    jvm.committed = HeapRelease.KEPT_BYTES;
    jvm.run(60, HeapRelease.IDLE_BYTES);
    jvm.run(60, 1000);
    assertEquals(0, jvm.collections);
  }

  @Test
  void check_afterADropWhileIdle_collectsAndOnceMoreWhenItsThreadsEnded() {
    jvm.run(60, HeapRelease.IDLE_BYTES);
    jvm.run(600, 1000);
    jvm.dropped += 200;
    jvm.run(10, 1000);
    assertEquals(2, jvm.collections);
    jvm.run(3600, 1000);
    assertEquals(3, jvm.collections);
  }

  @Test
  void check_ofAProcessThatDropsAllTheTime_collectsForAFiftiethOfTheTime() {
    for (int i = 0; i < 360; i++) {
      jvm.dropped++;
      jvm.run(10, 1000);
    }
    assertEquals(3600.0 / 50, jvm.collections, 15);
  }
}
