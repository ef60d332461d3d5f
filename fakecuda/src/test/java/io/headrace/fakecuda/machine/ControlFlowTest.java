package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import io.headrace.fakecuda.ptx.PtxException;
import org.junit.jupiter.api.Test;

/**
 * PTX ISA, Control Flow Instructions: @, bra, call, ret, exit; Miscellaneous Instructions: trap.
 */
final class ControlFlowTest {
  private static final String OUT =
      ".reg .b64 %y; .reg .b32 %r<4>; .reg .pred %p; ld.param.u64 %y, [y];\n";

  private static int run(TestDevice device) {
    long out = device.store(-1);
    device.launch(1, out);
    return device.ints(out, 1)[0];
  }

  private static int run(String body) {
    return run(TestDevice.ofKernel(".param .u64 y", OUT + body));
  }

  @Test
  void branch_isTakenIfItsGuardHolds() {
    assertThat(
            run(
                """
                mov.u32 %r1, 0; mov.u32 %r2, 0;
                LOOP:
                add.u32 %r1, %r1, 1; add.u32 %r2, %r2, %r1;
                setp.lt.u32 %p, %r1, 10;
                @%p bra LOOP;
                @!%p bra.uni END;
                mov.u32 %r2, 0;
                END:
                st.global.u32 [%y], %r2;
                """))
        .isEqualTo(55);
  }

  @Test
  void guardedInstruction_isSkippedIfItsGuardDoesNotHold() {
    assertThat(
            run(
                """
                mov.u32 %r1, 3; setp.eq.u32 %p, %r1, 4;
                @%p mov.u32 %r1, 5;
                @!%p add.u32 %r1, %r1, 1;
                st.global.u32 [%y], %r1;
                """))
        .isEqualTo(4);
  }

  @Test
  void exit_endsTheThread() {
    assertThat(run("st.global.u32 [%y], 1; exit; st.global.u32 [%y], 2;")).isEqualTo(1);
  }

  @Test
  void ret_endsTheKernel() {
    assertThat(run("st.global.u32 [%y], 1; ret; st.global.u32 [%y], 2;")).isEqualTo(1);
  }

  @Test
  void trap_isAFault() {
    assertThatThrownBy(() -> run("trap;"))
        .isInstanceOfSatisfying(
            GpuFault.class, fault -> assertThat(fault.kind()).isEqualTo(Kind.TRAP));
  }

  @Test
  void endlessLoop_isEnded() {
    assertThatThrownBy(() -> run("LOOP: bra LOOP;"))
        .isInstanceOfSatisfying(
            GpuFault.class, fault -> assertThat(fault.kind()).isEqualTo(Kind.TIMEOUT));
  }

  private static final String TWICE =
      """
      .func (.param .b32 result) twice(.param .b32 a) {
        .reg .b32 %r<2>;
        ld.param.u32 %r1, [a];
        add.u32 %r1, %r1, %r1;
        st.param.b32 [result], %r1;
        ret;
      }
      """;

  private static String kernel(String body) {
    return ".visible .entry k(.param .u64 y) {\n" + OUT + body + "\nret;\n}\n";
  }

  private static String callOfTwice(String register) {
    return """
    { .param .b32 p0; .param .b32 q0;
      st.param.b32 [p0], %s;
      call.uni (q0), twice, (p0);
      ld.param.b32 %s, [q0];
    }
    """
        .formatted(register, register);
  }

  @Test
  void call_passesParametersAndResults() {
    assertThat(
            run(
                new TestDevice(
                    TWICE
                        + kernel(
                            "mov.u32 %r1, 5;"
                                + callOfTwice("%r1")
                                + callOfTwice("%r1")
                                + "st.global.u32 [%y], %r1;"))))
        .isEqualTo(20);
  }

  @Test
  void call_ofAFunctionThatCalls_returnsToItsCaller() {
    String fourTimes =
        """
        .func (.param .b32 result) four_times(.param .b32 a) {
          .reg .b32 %r1;
          ld.param.u32 %r1, [a];
        """
            + callOfTwice("%r1")
            + callOfTwice("%r1")
            + "st.param.b32 [result], %r1; ret; }\n";
    String body =
        "mov.u32 %r1, 3;"
            + callOfTwice("%r1").replace("twice", "four_times")
            + "st.global.u32 [%y], %r1;";

    assertThat(run(new TestDevice(TWICE + fourTimes + kernel(body)))).isEqualTo(12);
  }

  @Test
  void call_ofItself_isRefused() {
    String recursive = ".func f() { call f; ret; }\n";

    assertThatThrownBy(() -> new TestDevice(recursive + kernel("call f;")))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("recursion");
  }

  @Test
  void call_ofAnUnknownFunction_isRefused() {
    assertThatThrownBy(() -> run("call f;"))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("there is no function f");
  }

  @Test
  void branch_toAnUnknownLabel_isRefused() {
    assertThatThrownBy(() -> run("bra NOWHERE;"))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("no such label");
  }

  @Test
  void specialRegisters_tellTheThreadsPlace() {
    TestDevice device =
        TestDevice.ofKernel(
            ".param .u64 y",
            OUT
                + """
                .reg .b64 %a;
                mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x; mad.lo.u32 %r1, %r1, %r2, %ctaid.x;
                mov.u32 %r2, %ntid.y; mad.lo.u32 %r1, %r1, %r2, %tid.y;
                mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %tid.x;
                mad.wide.u32 %a, %r1, 4, %y;
                st.global.u32 [%a], %r1;
                """);
    long out = device.allocate(4 * 2 * 3 * 4 * 5);
    device.launch(new Dimensions(2, 3, 1), new Dimensions(4, 5, 1), 0, out);

    assertThat(device.ints(out, 120)).startsWith(0, 1, 2).endsWith(118, 119);
  }
}
