package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PTX ISA, Parallel Synchronization and Communication Instructions, bar.sync and bar.warp.sync; and
 * the races that are found where they are missing.
 */
final class BarrierTest {
  private static final int SCHEDULES = 50;

  /** Each thread writes its number, then reads that of thread {@code tid ^ MASK}. */
  private static String exchange(int mask, String barrier, String secondBarrier) {
    return """
    .reg .b64 %%y; .reg .b32 %%r<8>; .shared .align 4 .b8 sh[256];
    ld.param.u64 %%y, [y];
    mov.u32 %%r1, %%tid.x; shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, sh; add.u32 %%r4, %%r3, %%r2;
    st.shared.u32 [%%r4], 77;
    %s
    st.shared.u32 [%%r4], %%r1;
    %s
    xor.b32 %%r5, %%r2, %d; add.u32 %%r5, %%r5, %%r3; ld.shared.u32 %%r6, [%%r5];
    mad.wide.u32 %%y, %%r1, 4, %%y;
    st.global.u32 [%%y], %%r6;
    """
        .formatted(barrier, secondBarrier, mask * 4);
  }

  private static int[] run(String body, long seed) {
    TestDevice device = TestDevice.ofKernel(".param .u64 y", body).withSeed(seed);
    long out = device.allocate(64 * 4);
    device.launch(64, out);
    return device.ints(out, 64);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 32})
  void barrierOfTheBlock_ordersAllThreads(int mask) {
    String body = exchange(mask, "bar.sync 0;", "bar.sync 0;");

    for (long seed = 0; seed < SCHEDULES; seed++) {
      assertThat(run(body, seed))
          .containsExactly(IntStream.range(0, 64).map(i -> i ^ mask).toArray());
    }
  }

  @Test
  void barrierOfTheWarp_ordersItsLanes() {
    String body = exchange(1, "bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff;");

    for (long seed = 0; seed < SCHEDULES; seed++) {
      assertThat(run(body, seed)).startsWith(1, 0, 3, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "bar.warp.sync 0xffffffff;"})
  void missingBarrier_isFoundInEverySchedule(String barrier) {
    String body = exchange(32, "bar.sync 0;", barrier);

    for (long seed = 0; seed < SCHEDULES; seed++) {
      assertFault(Kind.RACE, body, seed);
    }
  }

  private static void assertFault(Kind kind, String body, long seed) {
    assertThatThrownBy(() -> run(body, seed))
        .as("seed %d", seed)
        .isInstanceOfSatisfying(GpuFault.class, fault -> assertThat(fault.kind()).isEqualTo(kind));
  }

  @Test
  void writesOfTwoThreads_areARace() {
    assertFault(Kind.RACE, ".shared .b32 w; st.shared.u32 [w], 1;", 0);
  }

  @Test
  void readsOfManyThreads_areNone() {
    assertThat(
            run(
                """
                .reg .b64 %y; .reg .b32 %r<4>; .reg .pred %p; .shared .b32 w;
                ld.param.u64 %y, [y]; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0;
                @%p st.shared.u32 [w], 9;
                bar.sync 0;
                ld.shared.u32 %r2, [w];
                mad.wide.u32 %y, %r1, 4, %y; st.global.u32 [%y], %r2;
                """,
                1))
        .containsOnly(9);
  }

  /** The write races with the readers of another warp, whichever of them read last. */
  @Test
  void writeAfterReadsOfManyThreads_isARace() {
    for (long seed = 0; seed < SCHEDULES; seed++) {
      String body =
          """
          .reg .b32 %%r<4>; .reg .pred %%p; .shared .b32 w;
          mov.u32 %%r1, %%tid.x; setp.eq.u32 %%p, %%r1, 0;
          @%%p st.shared.u32 [w], 9;
          bar.sync 0;
          ld.shared.u32 %%r2, [w];
          setp.eq.u32 %%p, %%r1, %d;
          @%%p st.shared.u32 [w], 8;
          """
              .formatted(seed);
      assertFault(Kind.RACE, body, seed);
    }
  }

  @Test
  void threadThatExitsBeforeABarrier_isAFault() {
    assertFault(
        Kind.SYNCHRONIZATION,
        """
        .reg .b32 %r1; .reg .pred %p; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 5;
        @%p exit;
        bar.sync 0;
        """,
        3);
  }

  @Test
  void lanesOfAWarpAtDifferentBarriers_areAFault() {
    assertFault(
        Kind.SYNCHRONIZATION,
        """
        .reg .b32 %r1; .reg .pred %p; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 5;
        @%p bra OTHER;
        bar.sync 0;
        bra END;
        OTHER:
        bar.sync 0;
        END:
        """,
        3);
  }

  @Test
  void threadsOfTwoBlocks_raceInGlobalMemory() {
    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 y", ".reg .b64 %y; ld.param.u64 %y, [y]; st.global.u32 [%y], 1;");
    long out = device.allocate(4);

    assertThatThrownBy(() -> device.launch(Dimensions.of(2), Dimensions.of(1), 0, out))
        .hasMessageContaining("block 1")
        .hasMessageContaining("block 0");
  }

  @Test
  void dynamicSharedMemory_isBehindTheKernelsOwn() {
    TestDevice device =
        new TestDevice(
            """
            .extern .shared .align 16 .b8 more[];
            .visible .entry k(.param .u64 y) {
              .reg .b64 %y; .reg .b32 %r<4>; .shared .b32 own;
              ld.param.u64 %y, [y];
              st.shared.u32 [own], 1; mov.u32 %r1, more; st.shared.u32 [%r1+28], 2;
              ld.shared.u32 %r2, [own]; st.global.u32 [%y], %r2;
              ret;
            }
            """);
    long out = device.allocate(4);
    device.launch(Dimensions.of(1), Dimensions.of(1), 32, out);

    assertThat(device.ints(out, 1)).containsExactly(1);
    assertThatThrownBy(() -> device.launch(Dimensions.of(1), Dimensions.of(1), 28, out))
        .hasMessageContaining("shared memory");
  }
}
