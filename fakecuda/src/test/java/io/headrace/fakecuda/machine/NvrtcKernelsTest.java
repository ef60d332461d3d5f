package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * PTX that NVIDIA's compiler made of CUDA C gives the results of the same code in Java. So the
 * interpreter and the tests of its opcodes do not share a misreading. And where an instruction that
 * orders or guards is taken away, the error is found.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class NvrtcKernelsTest {
  /** The kernels of which each guard, barrier and atomic matters to the result. */
  private static final Map<String, NvrtcKernels.Check> MUTATED =
      Map.of(
          "affine", NvrtcKernels::affine,
          "sum", NvrtcKernels::sum,
          "transpose", NvrtcKernels::transpose);

  static Stream<Arguments> checks() {
    NvrtcKernels.Check integers = NvrtcKernels::integers;
    NvrtcKernels.Check floats = NvrtcKernels::floats;
    return Stream.concat(
        MUTATED.entrySet().stream().map(entry -> Arguments.of(entry.getKey(), entry.getValue())),
        Stream.of(Arguments.of("integers", integers), Arguments.of("floats", floats)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("checks")
  void kernel_givesTheResultsOfJava(String name, NvrtcKernels.Check check) throws IOException {
    for (long seed = 0; seed < 5; seed++) {
      check.run(TestDevice.ofModule(NvrtcKernels.ptx()).withSeed(seed));
    }
  }

  @Test
  void everyMutant_isKilled() throws IOException {
    List<String> survivors = new ArrayList<>();
    int total = 0;
    String[] lines = NvrtcKernels.ptx().split("\n", -1);
    String kernel = "";
    for (int i = 0; i < lines.length; i++) {
      if (lines[i].startsWith(".visible .entry")) {
        kernel = lines[i].replaceAll(".*entry |\\(", "");
      } else if (lines[i].startsWith(".func")) {
        kernel = "";
      }
      String mutated = mutated(lines[i]);
      NvrtcKernels.Check check = MUTATED.get(kernel);
      if (mutated.equals(lines[i]) || check == null) {
        continue;
      }
      total++;
      String line = lines[i];
      lines[i] = mutated;
      if (survives(check, String.join("\n", lines))) {
        survivors.add(kernel + ": " + line.strip());
      }
      lines[i] = line;
    }

    System.out.printf(
        "summary: mutants of PTX kernels killed: %d/%d%n", total - survivors.size(), total);
    assertThat(survivors).as("survivors of %d mutants", total).isEmpty();
    assertThat(total).isEqualTo(12);
  }

  /** A line without its barrier or its guarded branch, or with a plain store for an atomic. */
  private static String mutated(String line) {
    return line.replaceFirst("bar\\.sync\\s+0;", "")
        .replaceFirst("@%p\\d+ bra\\s+\\S+;", "")
        .replaceFirst(
            "atom\\.global\\.add\\.u32\\s+%r\\d+, \\[(%rd\\d+)\\], (%r\\d+);",
            "st.global.u32 [$1], $2;");
  }

  private static boolean survives(NvrtcKernels.Check check, String ptx) {
    for (long seed = 0; seed < 3; seed++) {
      try {
        check.run(TestDevice.ofModule(ptx).withSeed(seed));
      } catch (GpuFault | AssertionError _) {
        return false;
      }
    }
    return true;
  }
}
