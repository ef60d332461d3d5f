package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.ptx.PtxException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each opcode by itself: its cases are in opcodes.txt, or in a test class of those that need one.
 */
final class OpcodeTest {
  /** The opcodes whose cases are in a class: those that touch memory, other threads or the flow. */
  private static final Set<String> IN_CLASSES =
      Set.of(
          "ld", "st", "cvta", // MemoryOpcodesTest
          "bra", "ret", "exit", "trap", // ControlFlowTest, with call
          "bar", // BarrierTest
          "shfl", "vote", // WarpOpcodesTest
          "atom", "red"); // AtomicOpcodesTest

  static Stream<OpcodeCase> cases() throws IOException {
    List<OpcodeCase> cases = new ArrayList<>();
    String anchor = "";
    for (String line : lines()) {
      if (line.startsWith("[")) {
        anchor = line.substring(1, line.length() - 1);
      } else if (!line.isBlank() && !line.startsWith("#")) {
        cases.add(OpcodeCase.parse(anchor, line));
      }
    }
    return cases.stream();
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = OpcodeTest.class.getResourceAsStream("opcodes.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void instruction_givesTheResultOfTheIsa(OpcodeCase opcode) {
    assertThat(opcode.run()).isEqualTo(OpcodeCase.bits(opcode.result()));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void instruction_isOfItsSection(OpcodeCase opcode) {
    assertThat(opcode.instructions()).contains(opcode.opcode() + ".");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void unknownModifier_isRefused(OpcodeCase opcode) {
    String changed = opcode.instructions().replaceFirst("\\.", ".unknown.");

    assertThat(compileError(changed)).contains("unknown");
  }

  /** The error of a kernel of these instructions, whose registers are of no matter. */
  private static String compileError(String instructions) {
    try {
      TestDevice.ofKernel("", instructions + ";");
      return "none";
    } catch (PtxException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void everyOpcode_isTested() throws IOException {
    Set<String> tested = new HashSet<>(IN_CLASSES);
    cases().forEach(opcode -> tested.add(opcode.opcode()));

    assertThat(tested).isEqualTo(Opcodes.names());
  }

  @Test
  void unknownOpcode_isRefused() {
    assertThat(compileError("addx.s32 %d, %d, %d"))
        .isEqualTo("line 5: addx.s32 %d, %d, %d: the opcode addx is not known");
  }
}
