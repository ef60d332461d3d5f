package io.headrace.fakecuda.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases of all opcodes in one module: the interpreter compiles it, and where the system
 * property {@code ptxas} names NVIDIA's assembler, that does, too. So a case is PTX, and not only
 * text that the interpreter takes for PTX.
 */
final class PtxAssemblyTest {
  private static final List<String> TARGETS = List.of("sm_70", "sm_90", "sm_120");

  @Test
  void everyCase_assembles(@TempDir Path folder) throws IOException, InterruptedException {
    List<OpcodeCase> cases = OpcodeTest.cases().toList();
    StringBuilder module = new StringBuilder(TestDevice.HEADER);
    for (int i = 0; i < cases.size(); i++) {
      module.append(cases.get(i).kernel("k" + i));
    }
    GpuModule compiled = TestDevice.ofModule(module.toString()).module();
    assertThat(compiled.kernel("k" + (cases.size() - 1))).isPresent();

    String assembler = System.getProperty("ptxas");
    if (assembler != null) {
      Path source = Files.writeString(folder.resolve("cases.ptx"), module);
      for (String target : TARGETS) {
        assertThat(assemble(assembler, source, target)).as(target).isEmpty();
      }
    }
  }

  /** The errors of the assembler for one target, which is told by a name such as sm_70. */
  private static String assemble(String assembler, Path source, String target)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                assembler, "--gpu-name=" + target, source.toString(), "-o", source + ".cubin")
            .redirectErrorStream(true)
            .start();
    try (var output = process.inputReader()) {
      String errors = output.lines().limit(50).collect(Collectors.joining("\n"));
      return process.waitFor() == 0 ? "" : "assembler failed: " + errors;
    }
  }
}
