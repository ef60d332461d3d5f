package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PTX ISA, Parallel Synchronization and Communication Instructions: shfl.sync and vote.sync. */
final class WarpOpcodesTest {
  /** Runs instructions on a warp in which %a is 10 times the lane; returns each lane's %d. */
  private static int[] run(int threads, String instructions) {
    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 y",
            """
            .reg .b64 %y; .reg .b32 %a, %d, %l; .reg .pred %p, %q;
            ld.param.u64 %y, [y];
            mov.u32 %l, %laneid; mul.lo.u32 %a, %l, 10; mov.u32 %d, -1;
            """
                + instructions
                + "\nmad.wide.u32 %y, %l, 4, %y; st.global.u32 [%y], %d;");
    long out = device.allocate(threads * 4);
    device.launch(threads, out);
    return device.ints(out, threads);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "shfl.sync.down.b32 %d, %a, 1, 0x1f, -1; | 10 | 310",
        "shfl.sync.up.b32 %d, %a, 1, 0, -1; | 0 | 300",
        "shfl.sync.bfly.b32 %d, %a, 1, 0x1f, -1; | 10 | 300",
        "shfl.sync.idx.b32 %d, %a, 5, 0x1f, -1; | 50 | 50",
        "shfl.sync.bfly.b32 %d, %a, 16, 0x1f, -1; | 160 | 150",
        // Segments of 8 lanes: the mask of the segment is 0x18.
        "shfl.sync.idx.b32 %d, %a, 2, 0x181f, -1; | 20 | 260",
        "shfl.sync.down.b32 %d, %a, 1, 0x181f, -1; | 10 | 310",
      })
  void shuffle_readsTheLaneOfItsMode(String instructions, int first, int last) {
    int[] lanes = run(32, instructions);

    assertThat(lanes[0]).isEqualTo(first);
    assertThat(lanes[31]).isEqualTo(last);
  }

  @Test
  void shuffle_tellsWhetherTheLaneIsInRange() {
    int[] lanes = run(32, "shfl.sync.down.b32 %d|%p, %a, 1, 0x1f, -1; selp.b32 %d, 1, 0, %p;");

    assertThat(lanes[30]).isEqualTo(1);
    assertThat(lanes[31]).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "setp.lt.u32 %p, %l, 4; vote.sync.ballot.b32 %d, %p, -1; | 15",
        "setp.lt.u32 %p, %l, 4; vote.sync.any.pred %q, %p, -1; selp.b32 %d, 1, 0, %q; | 1",
        "setp.lt.u32 %p, %l, 4; vote.sync.all.pred %q, %p, -1; selp.b32 %d, 1, 0, %q; | 0",
        "setp.lt.u32 %p, %l, 32; vote.sync.all.pred %q, %p, -1; selp.b32 %d, 1, 0, %q; | 1",
      })
  void vote_countsAllLanes(String instructions, int result) {
    assertThat(run(32, instructions)).containsOnly(result);
  }

  @Test
  void lanesThatTheBlockDoesNotHave_takeNoPart() {
    assertThat(run(4, "setp.eq.u32 %p, %l, %l; vote.sync.ballot.b32 %d, %p, -1;")).containsOnly(15);
  }

  @Test
  void lanesOfAMask_shuffleAmongThemselves() {
    assertThat(
            run(
                32,
                """
                setp.lt.u32 %p, %l, 2;
                @%p shfl.sync.bfly.b32 %d, %a, 1, 0x1f, 3;
                """))
        .startsWith(10, 0, -1, -1);
  }

  @Test
  void laneThatTakesNoPart_isNotRead() {
    assertThatThrownBy(() ->
            run(
                32,
                """
                setp.lt.u32 %p, %l, 2;
                @%p shfl.sync.down.b32 %d, %a, 1, 0x1f, 3;
                """))
        .hasMessageContaining("lane 1 reads lane 2, which takes no part");
  }

  @Test
  void laneOutsideOfItsMask_isAFault() {
    assertThatThrownBy(() -> run(32, "shfl.sync.down.b32 %d, %a, 1, 0x1f, 1;"))
        .hasMessageContaining("not in its own mask");
  }

  @Test
  void laneThatNeverComes_isAFault() {
    assertThatThrownBy(() ->
            run(
                32,
                """
                setp.lt.u32 %p, %l, 31;
                @%p shfl.sync.down.b32 %d, %a, 1, 0x1f, -1;
                """))
        .isInstanceOf(GpuFault.class)
        .hasMessageMatching(".*(all threads wait|has exited).*");
  }
}
