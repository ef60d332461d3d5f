package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachineDevicesTest {
  private final Path folder;

  MachineDevicesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private MachineDevices devices(CudaSearch search, Optional<String> visible) {
    return devices(search, CublasLibraries.NONE, visible);
  }

  private MachineDevices devices(
      CudaSearch search, CublasLibraries cublas, Optional<String> visible) {
    return new MachineDevices(2, search, cublas, visible, folder.resolve("version"));
  }

  private static String explained(MachineDevices devices) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    devices.list(out);
    devices.explain(out);
    return text.toString();
  }

  @Test
  void noDriver_isExplainedWithThePathsThatWereTried() {
    CudaSearch search = CudaDrivers.search("ffm", List.of("/no/libcuda.so.1", "/nor/libcuda.so.1"));

    assertThat(explained(devices(search, Optional.empty())))
        .isEqualTo(
            """
            CPU: 2 processors
            no GPU: the CUDA driver's library is not on this machine
              tried /no/libcuda.so.1: not found
              tried /nor/libcuda.so.1: not found
              NVIDIA's kernel module: not loaded (no %s/version)
              CUDA_VISIBLE_DEVICES: not set
            """
                .formatted(folder));
  }

  @Test
  void devices_areListed_andTheirDriverIsExplained() throws IOException {
    Files.writeString(folder.resolve("version"), "NVRM version: 550.54.15\nGCC version\n");
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      String library = FakeCuda.library().toString();
      CudaSearch search = CudaDrivers.search("ffm", List.of(library));

      assertThat(explained(devices(search, Optional.of("0"))))
          .isEqualTo(
              """
              CPU: 2 processors
              GPU: device: 0, name: Headrace Fake GPU, pci bus id: 0000:0a:00.0, \
              compute capability: 7.0, memory: 67108864 bytes
                driver: %s, CUDA 12.4
                binding: ffm
                tried %s: loaded
                no cuBLAS, so slower products of matrices: it is not to be used
                NVIDIA's kernel module: NVRM version: 550.54.15
                CUDA_VISIBLE_DEVICES: 0
              """
                  .formatted(library, library));
    }
  }

  @Test
  void cublas_isExplained() {
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      String library = FakeCuda.library().toString();
      CudaSearch search = CudaDrivers.search("ffm", List.of(library));
      CublasLibraries cublas = new CublasLibraries(List.of("/no/libcublas.so.12", library));

      assertThat(explained(devices(search, cublas, Optional.empty())))
          .contains(
              """
                cuBLAS 12.4: %s
                tried /no/libcublas.so.12: not found, or not cuBLAS
                tried %s: loaded
              """
                  .formatted(library, library));
    }
  }

  @Test
  void deviceThatIsTooOld_isListedAsNotUsed() {
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT.withCapability(61))) {
      CudaSearch search = CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()));

      assertThat(explained(devices(search, Optional.empty())))
          .contains("compute capability: 6.1")
          .contains("; not used: compute capability 7.0 is the least\n");
    }
  }

  @Test
  void command_withoutATarget_listsThisMachine() {
    CommandRun run = CommandRun.of("devices", "--explain");

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).startsWith("CPU: ").contains("GPU: ", "  tried libcuda.so.1: ");
    assertThat(run.status()).isZero();
    assertThat(CommandRun.of("devices").out()).doesNotContain("tried");
  }

  @Test
  void explain_withATarget_isRefused() {
    CommandRun run = CommandRun.of("devices", "localhost:1", "--explain");

    assertThat(run.err())
        .isEqualTo("headrace devices: --explain is about this machine: leave out localhost:1\n");
    assertThat(run.status()).isEqualTo(2);
  }
}
