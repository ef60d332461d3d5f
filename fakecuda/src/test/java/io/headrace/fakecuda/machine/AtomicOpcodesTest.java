package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PTX ISA, Parallel Synchronization and Communication Instructions: atom and red. */
final class AtomicOpcodesTest {
  private static final String START =
      """
      .reg .b64 %y; .reg .b32 %r<4>; .reg .f32 %f<4>;
      ld.param.u64 %y, [y]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
      """;

  /** Runs instructions in 4 blocks of 64 threads on one int, and returns it. */
  private static int run(String instructions, int initial) {
    TestDevice device = TestDevice.ofKernel(".param .u64 y", START + instructions).withSeed(1);
    long word = device.store(initial);
    device.launch(Dimensions.of(4), Dimensions.of(64), 0, word);
    return device.ints(word, 1)[0];
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "red.global.add.u32 [%y], 1; | 5 | 261",
        "atom.global.add.s32 %r2, [%y], -1; | 5 | -251",
        "red.global.min.s32 [%y], %r1; | 7 | 0",
        "red.global.max.u32 [%y], %r1; | 7 | 63",
        "red.global.max.s32 [%y], %r1; | -7 | 63",
        "red.global.max.u32 [%y], %r1; | -7 | -7",
        "red.global.or.b32 [%y], %r1; | 64 | 127",
        "red.global.and.b32 [%y], 12; | 10 | 8",
        "red.global.xor.b32 [%y], 1; | 3 | 3",
        "atom.global.exch.b32 %r2, [%y], 9; | 3 | 9",
        "atom.global.cas.b32 %r2, [%y], 3, 4; | 3 | 4",
        "atom.global.cas.b32 %r2, [%y], 5, 4; | 3 | 3",
      })
  void updates_ofAllThreadsAreApplied(String instructions, int initial, int result) {
    assertThat(run(instructions, initial)).isEqualTo(result);
  }

  @Test
  void floatAddition_isOfItsType() {
    int bits = run("red.global.add.f32 [%y], %f1;", Float.floatToIntBits(0.5f));

    assertThat(Float.intBitsToFloat(bits)).isEqualTo(4 * 2016 + 0.5f);
  }

  @Test
  void floatAddition_flushesInGlobalMemoryOnly() {
    assertThat(run("red.global.add.f32 [%y], 0f00000000;", 1)).isZero();

    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 y",
            START
                + """
                .shared .f32 w;
                st.shared.u32 [w], 1;
                atom.shared.add.f32 %f2, [w], 0f00000000;
                ld.shared.f32 %f2, [w]; st.global.f32 [%y], %f2;
                """);
    long word = device.store(0);
    device.launch(1, word);
    assertThat(device.ints(word, 1)).containsExactly(1);
  }

  @Test
  void atom_returnsTheOldValue() {
    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 y",
            START + "atom.global.add.u32 %r2, [%y], 5; st.global.u32 [%y+4], %r2;");
    long words = device.store(30, 0);
    device.launch(1, words);

    assertThat(device.ints(words, 2)).containsExactly(35, 30);
  }

  @Test
  void plainUpdateInItsPlace_isARace() {
    assertRace("ld.global.u32 %r2, [%y]; add.u32 %r2, %r2, 1; st.global.u32 [%y], %r2;");
  }

  @Test
  void plainReadBesideUpdates_isARace() {
    assertRace("red.global.add.u32 [%y], 1; ld.global.u32 %r2, [%y];");
  }

  private static void assertRace(String instructions) {
    assertThatThrownBy(() -> run(instructions, 0))
        .isInstanceOfSatisfying(
            GpuFault.class, fault -> assertThat(fault.kind()).isEqualTo(Kind.RACE));
  }
}
