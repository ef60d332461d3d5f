package io.headrace.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All kinds of kernels can be written; where the system property {@code elementwise.ptxas} names
 * NVIDIA's assembler, they are PTX to that, too, and no written one keeps registers in memory.
 */
final class ElementwiseAssemblyTest {
  private static final List<String> TARGETS =
      List.of("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120");

  /** The modules of kernels; the other one has functions alone. */
  private static final Set<PtxResource> WRITTEN =
      EnumSet.complementOf(EnumSet.of(PtxResource.MATH));

  @Test
  void kernels_assemble(@TempDir Path folder) throws IOException, InterruptedException {
    String assembler = System.getProperty("elementwise.ptxas");
    Map<String, String> kernels = new LinkedHashMap<>();
    new CaseBuilder(1, 1).forEach(one -> kernels.putIfAbsent(one.kernel().text(), one.name()));
    TiledKernels.all().forEach(kernels::putIfAbsent);
    assertThat(kernels).hasSizeGreaterThan(500);
    if (assembler == null) {
      return;
    }
    for (Map.Entry<String, String> kernel : kernels.entrySet()) {
      Path source = Files.writeString(folder.resolve("kernel.ptx"), kernel.getKey());
      assertThat(errors(assembler, "sm_90", source)).as(kernel.getValue()).isEmpty();
    }
    for (PtxResource module : WRITTEN) {
      Path source = Files.writeString(folder.resolve("kernel.ptx"), module.text());
      for (String target : TARGETS) {
        assertThat(errors(assembler, target, source)).as("%s, %s", module, target).isEmpty();
        assertThat(spills(assembler, target, source)).as("%s, %s", module, target).isEmpty();
      }
    }
  }

  /** The reports of kernels that keep registers in memory, since they need more than there are. */
  private static List<String> spills(String assembler, String target, Path source)
      throws IOException, InterruptedException {
    return run(assembler, "-v", "--gpu-name=" + target, source.toString(), "-o", source + ".out")
        .output()
        .lines()
        .filter(line -> line.contains(" bytes spill stores"))
        .filter(line -> !line.contains(" 0 bytes spill stores, 0 bytes spill loads"))
        .toList();
  }

  private record Ended(int status, String output) {}

  private static String errors(String assembler, String target, Path source)
      throws IOException, InterruptedException {
    Ended ended = run(assembler, "--gpu-name=" + target, source.toString(), "-o", source + ".out");
    return ended.status() == 0 ? "" : "assembler failed: " + ended.output();
  }

  private static Ended run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var output = process.inputReader()) {
      String text = output.lines().collect(Collectors.joining("\n"));
      return new Ended(process.waitFor(), text);
    }
  }
}
