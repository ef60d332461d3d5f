package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import io.headrace.fakecuda.ptx.PtxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PTX ISA, Data Movement and Conversion Instructions: ld, ld.global.nc, st and cvta. */
final class MemoryOpcodesTest {
  private static final String POINTERS =
      """
      .reg .b64 %x, %y; .reg .b32 %r<8>; .reg .b64 %l<4>; .reg .b16 %h<4>;
      ld.param.u64 %x, [x]; ld.param.u64 %y, [y];
      cvta.to.global.u64 %x, %x; cvta.to.global.u64 %y, %y;
      """;

  /** Runs a body on two ints in [%x], and returns the int in [%y]. */
  private static int run(String body, int... input) {
    TestDevice device = TestDevice.ofKernel(".param .u64 x, .param .u64 y", POINTERS + body);
    long in = device.store(input);
    long out = device.allocate(16);
    device.launch(1, in, out);
    return device.ints(out, 1)[0];
  }

  private static Kind faultOf(String body) {
    try {
      run(body, 1, 2);
      throw new AssertionError("no fault");
    } catch (GpuFault fault) {
      return fault.kind();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ld.global.u8 %r1, [%x+3]; st.global.u32 [%y], %r1; | 255",
        "ld.global.s8 %r1, [%x+3]; st.global.b32 [%y], %r1; | -1",
        "ld.global.u16 %h1, [%x+2]; cvt.u32.u16 %r1, %h1; st.global.u32 [%y], %r1; | 65280",
        "ld.global.s16 %r1, [%x+2]; st.global.u32 [%y], %r1; | -256",
        "ld.global.b64 %l1, [%x]; shr.u64 %l1, %l1, 32; st.global.u32 [%y], %l1; | 7",
        "ld.global.v2.u32 {%r1, %r2}, [%x]; st.global.u32 [%y], %r2; | 7",
        "ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%x+4]; st.global.u32 [%y], %r1; | 7",
        "ld.global.nc.f32 %r1, [%x+4]; st.global.f32 [%y], %r1; | 7",
        "ld.u32 %r1, [%x+4]; st.u32 [%y], %r1; | 7",
        "add.u64 %x, %x, 8; ld.global.u32 %r1, [%x+-4]; st.global.u32 [%y], %r1; | 7",
      })
  void load_extendsByItsType(String body, int result) {
    assertThat(run(body, 0xff00_1234, 7)).isEqualTo(result);
  }

  @Test
  void vectorStore_writesAllElements() {
    assertThat(
            run(
                """
                mov.u32 %r1, 1; mov.u32 %r2, 2;
                st.global.v2.u32 [%y], {%r1, %r2}; ld.global.u32 %r3, [%y+4]; st.global.u32 [%y], %r3;
                """))
        .isEqualTo(2);
  }

  @Test
  void sharedVariable_isReachedByItsAddressAndByAGenericOne() {
    assertThat(
            run(
                """
                .shared .align 4 .b8 pad[8]; .shared .align 8 .b32 word;
                mov.u32 %r1, word; mov.u32 %r2, 9; st.shared.u32 [%r1], %r2;
                cvta.shared.u64 %l1, word; ld.u32 %r3, [%l1];
                cvta.to.shared.u64 %l2, %l1; ld.shared.u32 %r4, [%l2];
                add.u32 %r3, %r3, %r4; ld.shared.u32 %r5, [word]; add.u32 %r3, %r3, %r5;
                st.global.u32 [%y], %r3;
                """))
        .isEqualTo(27);
  }

  @Test
  void localVariable_isOfItsThread() {
    assertThat(
            run(
                """
                .local .align 4 .b8 frame[8];
                mov.u32 %r1, 5; st.local.u32 [frame+4], %r1;
                mov.u64 %l1, frame; cvta.local.u64 %l1, %l1; ld.u32 %r2, [%l1+4];
                st.global.u32 [%y], %r2;
                """))
        .isEqualTo(5);
  }

  @Test
  void moduleVariables_haveTheirInitialValues_andElseZeros() {
    TestDevice device =
        new TestDevice(
            """
            .const .align 4 .b32 table[3] = {10, 20};
            .global .u32 counter;
            .visible .entry k(.param .u64 y) {
              .reg .b64 %y; .reg .b32 %r<4>; .reg .b64 %t;
              ld.param.u64 %y, [y];
              mov.u64 %t, table;
              ld.const.u32 %r1, [%t+4]; ld.const.u32 %r2, [table+8];
              ld.global.u32 %r3, [counter];
              add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
              st.global.u32 [%y], %r1;
              st.global.u32 [counter], %r1;
              ret;
            }
            """);
    long out = device.allocate(4);
    device.launch(1, out);

    assertThat(device.ints(out, 1)).containsExactly(20);
    long counter = device.module().variable("counter").orElseThrow();
    assertThat(device.ints(counter, 1)).containsExactly(20);
  }

  @Test
  void accessOutsideOfAnAllocation_isAFault() {
    assertThat(faultOf("ld.global.u32 %r1, [%x+8];")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf("ld.global.u32 %r1, [%x+-4];")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf("st.global.u32 [%y+16], 1;")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf("mov.u64 %l1, 0; st.global.u32 [%l1], 1;")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf(".shared .b32 w; st.shared.u32 [w+4], 1;")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf(".local .b32 w; st.local.u32 [w+4], 1;")).isEqualTo(Kind.ILLEGAL_ADDRESS);
    assertThat(faultOf("ld.param.u64 %l1, [y+8];")).isEqualTo(Kind.ILLEGAL_ADDRESS);
  }

  @Test
  void useAfterFree_isAFault() {
    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 x", ".reg .b64 %x; ld.param.u64 %x, [x]; st.global.u32 [%x], 1;");
    long address = device.store(1);
    device.memory.free(address, 50);

    assertThatThrownBy(() -> device.launch(1, address))
        .isInstanceOf(GpuFault.class)
        .hasMessageContaining("which is freed");
  }

  @Test
  void misalignedAccess_isAFault() {
    assertThat(faultOf("ld.global.u32 %r1, [%x+2];")).isEqualTo(Kind.MISALIGNED_ADDRESS);
    assertThat(faultOf("ld.global.v2.u32 {%r1, %r2}, [%x+4];")).isEqualTo(Kind.MISALIGNED_ADDRESS);
    assertThat(faultOf("st.global.u16 [%y+1], 1;")).isEqualTo(Kind.MISALIGNED_ADDRESS);
  }

  @Test
  void useOfWhatNothingWrote_isAFault() {
    assertThat(faultOf("ld.global.u32 %r1, [%y];")).isEqualTo(Kind.UNINITIALIZED);
    assertThat(faultOf("add.u32 %r1, %r2, 1;")).isEqualTo(Kind.UNINITIALIZED);
    assertThat(faultOf(".shared .b32 w; ld.shared.u32 %r1, [w];")).isEqualTo(Kind.UNINITIALIZED);
    assertThat(faultOf(".local .b32 w; ld.local.u32 %r1, [w];")).isEqualTo(Kind.UNINITIALIZED);
    assertThat(faultOf("addc.u32 %r1, 0, 0;")).isEqualTo(Kind.UNINITIALIZED);
  }

  @Test
  void nonCoherentLoad_ofWhatTheLaunchWrites_isAFault() {
    assertThat(faultOf("st.global.u32 [%y], 1; ld.global.nc.u32 %r1, [%y];")).isEqualTo(Kind.RACE);
  }

  @Test
  void divisionByZero_isAFault() {
    assertThat(faultOf("mov.u32 %r1, 0; div.s32 %r1, 1, %r1;")).isEqualTo(Kind.UNSPECIFIED);
    assertThat(faultOf("mov.u32 %r1, 0; rem.u32 %r1, 1, %r1;")).isEqualTo(Kind.UNSPECIFIED);
  }

  @Test
  void fault_namesItsPlace() {
    assertThatThrownBy(() -> run("ld.global.u32 %r1, [%x+2];", 1, 2))
        .hasMessageStartingWith(
            "k, line 8 (ld.global.u32 %r1, [%x+2]), block (0,0,0) thread (0,0,0): ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ld.global.v3.u32 {%r1, %r2, %r3}, [%x]; | v3",
        "ld.global.v4.u64 {%l0, %l1, %l2, %l3}, [%x]; | 16 bytes",
        "ld.global.v2.u32 %r1, [%x]; | 1 registers are given",
        "ld.volatile.global.u32 %r1, [%x]; | .volatile",
        "ld.global.u32 %h1, [%x]; | register %h1 is of type b16",
        "ld.shared.u32 %r1, [nowhere]; | no register nowhere",
        "ld.global.u32 %r1, %x; | an address is in brackets",
        "st.const.u32 [%x], 1; | const",
        "st.param.u64 [x], %x; | nothing is stored in a kernel's parameters",
        ".shared .b32 w; ld.global.u32 %r1, [w]; | w is not in the space global",
        "add.f32 %r1, %r1, 1; | an integer is no value of type f32",
        "add.u32 %r1, %r1, 0x1ffffffff; | does not fit into u32",
        "add.u32 %r1, %l1, 1; | register %l1 is of type b64, not u32",
      })
  void badInstruction_isRefused(String body, String reason) {
    assertThatThrownBy(() -> run(body, 1))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining(reason);
  }
}
