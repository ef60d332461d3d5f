package io.headrace.fakecuda.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PtxParserTest {
  private static final String HEADER = ".version 7.0\n.target sm_70\n.address_size 64\n";

  @Test
  void header_isRead() {
    PtxModule module = PtxParser.parse(HEADER);

    assertThat(module.version()).isEqualTo(70);
    assertThat(module.target()).isEqualTo(70);
  }

  @Test
  void kernel_isRead() {
    PtxModule module =
        PtxParser.parse(
            HEADER
                + """
                .visible .entry k(.param .u64 .ptr .global .align 4 x, .param .align 8 .b8 s[12])
                .maxntid 128, 1, 1
                {
                  .reg .b32 %r<3>; // two and the unused one
                  .loc 1 2 3
                  @!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+-8]; /* a
                  comment */
                L1: st.global.u32 [%rd1], -7;
                }
                """);
    PtxFunction kernel = module.functions().get("k");

    assertThat(kernel).isNotNull();
    assertThat(kernel.isEntry()).isTrue();
    assertThat(kernel.parameters())
        .extracting(PtxVariable::bytes, PtxVariable::align)
        .containsExactly(tuple(8, 8), tuple(12, 8));
    assertThat(kernel.registers()).containsOnlyKeys("%r0", "%r1", "%r2");
    assertThat(kernel.labels()).containsEntry("L1", 1);
    assertThat(kernel.limits()).containsEntry("maxntid", List.of(128, 1, 1));
    PtxInstruction load = kernel.body().getFirst();
    assertThat(load.opcode()).isEqualTo("ld");
    assertThat(load.modifiers()).containsExactly("global", "v2", "f32");
    assertThat(load.guard()).contains(new PtxInstruction.Guard("%p1", true));
    assertThat(load.operands().getLast()).isEqualTo(new PtxOperand.Address("%rd1", -8));
    assertThat(load.line()).isEqualTo(9);
    assertThat(kernel.body().getLast().operands().getLast())
        .isEqualTo(new PtxOperand.IntegerLiteral(-7));
  }

  @Test
  void namesOfInnerBlocks_areTheirOwn() {
    PtxFunction kernel =
        PtxParser.parse(
                HEADER
                    + """
                    .entry k() {
                      .reg .b32 %a;
                      { .reg .f32 %a; mov.f32 %a, 0f00000000; }
                      mov.u32 %a, 0;
                    }
                    """)
            .functions()
            .get("k");

    assertThat(kernel).isNotNull();
    assertThat(kernel.registers()).hasSize(2).containsEntry("%a", PtxType.B32);
    assertThat(kernel.body().getFirst().operands().getFirst())
        .isNotEqualTo(kernel.body().getLast().operands().getFirst());
  }

  @Test
  void literals_haveTheirBits() {
    assertThat(initial(".global .f32 x = 0f3F800000;")).containsExactly(0x3f800000L);
    assertThat(initial(".global .f64 x[2] = {0d3FF0000000000000, -0d3FF0000000000000};"))
        .containsExactly(0x3ff0000000000000L, 0xbff0000000000000L);
    assertThat(initial(".const .u32 x[] = {0x10, 010, 10U, -1};"))
        .containsExactly(16L, 8L, 10L, -1L);
  }

  private static List<Long> initial(String declaration) {
    return PtxParser.parse(HEADER + declaration).variables().getFirst().initial();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".visible .texref t; | line 4: the directive .texref is not known",
        ".entry k() { .branchtargets a; } | line 4: the directive .branchtargets is not known",
        ".entry k() .maxclusterrank 2 { } | line 4: the directive .maxclusterrank is not known",
        ".entry k() { .reg .u33 %r; } | line 4: the type .u33 is not known",
        ".entry k() { .reg .u32 %r, %r; } | line 4: %r is declared twice",
        ".entry k() { } .entry k() { } | line 4: k is defined twice",
        ".entry k() { ret | line 4: unexpected the end of the text",
        ".entry k() { mov.u32 %r1 %r2; } | line 4: expected , and not %r2",
        ".global .u32 x = 0f3F800000; | line 4: 0f3F800000 is not a value of u32",
        ".global .align 3 .u32 x; | line 4: an alignment is a power of 2, not 3",
        ".global .pred x; | line 4: a predicate is in a register, not in memory",
        ".extern .global .u32 x; | line 4: an external variable is not known",
        "~ | line 4: unexpected character ~",
      })
  void wrongText_isRefusedWithItsLine(String text, String message) {
    assertThatThrownBy(() -> PtxParser.parse(HEADER + text))
        .isInstanceOf(PtxException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".version 7 | line 1: a version is MAJOR.MINOR, not 7",
        ".version 7.0 .target compute_70 | line 1: the target compute_70 is not known",
        ".version 7.0 .target sm_70 .address_size 32 | line 1: addresses have 64 bits",
      })
  void wrongHeader_isRefused(String text, String message) {
    assertThatThrownBy(() -> PtxParser.parse(text))
        .isInstanceOf(PtxException.class)
        .hasMessage(message);
  }
}
