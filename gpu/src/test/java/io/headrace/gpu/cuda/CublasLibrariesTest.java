package io.headrace.gpu.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CublasLibrariesTest {
  private static final int CUDA_12_4 = 12040;

  private final Path folder;

  CublasLibrariesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  /** Makes a file, with its folders; returns its path. */
  private String file(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "").toString();
  }

  @Test
  void toolkitAndPythonPackages_comeBeforeTheLoader_thenTheSystem() throws IOException {
    String ofToolkit = file("cuda/lib64/libcublas.so.12");
    String later = file("venv/lib/python3.13/site-packages/nvidia/cu13/lib/libcublas.so.13");
    String earlier = file("venv/lib/python3.13/site-packages/nvidia/cublas/lib/libcublas.so.12");
    String ofConda = file("conda/lib/libcublas.so.12");
    String older = file("conda/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12");
    String newer = file("conda/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12");
    String ofSystem = file("system/python3.12/dist-packages/nvidia/cublas/lib/libcublas.so.12");
    Map<String, String> environment =
        Map.of(
            "CUDA_HOME", folder.resolve("cuda").toString(),
            "VIRTUAL_ENV", folder.resolve("venv").toString(),
            "CUDA_PATH", "",
            "CONDA_PREFIX", folder.resolve("conda").toString());

    assertThat(
            CublasLibraries.of(Optional.empty(), environment, List.of(folder.resolve("system")))
                .files())
        .containsExactly(
            ofToolkit,
            later,
            earlier,
            ofConda,
            older,
            newer,
            "libcublas.so.13",
            "libcublas.so.12",
            ofSystem);
  }

  @Test
  void property_namesTheOnlyLibrary_orNone() {
    Map<String, String> environment = Map.of("CUDA_HOME", "/usr/local/cuda");

    assertThat(CublasLibraries.of(Optional.of("/my/libcublas.so"), environment, List.of()).files())
        .containsExactly("/my/libcublas.so");
    assertThat(CublasLibraries.of(Optional.of("none"), environment, List.of()))
        .isEqualTo(CublasLibraries.NONE);
  }

  @Test
  void search_tellsWhatWasTried() {
    CublasLibraries wrong = new CublasLibraries(List.of("/nowhere/libcublas.so.12", "libm.so.6"));

    assertThat(wrong.search(CUDA_12_4))
        .isEqualTo(
            new CublasSearch.Absent(
                "the library is not on this machine",
                List.of(
                    "/nowhere/libcublas.so.12: not found, or not cuBLAS",
                    "libm.so.6: not found, or not cuBLAS")));
    assertThat(CublasLibraries.NONE.search(CUDA_12_4))
        .isEqualTo(new CublasSearch.Absent("it is not to be used", List.of()));
  }

  @Test
  void search_findsALibraryThatIsNotTooNew() {
    try (FakeCuda _ = FakeCuda.start(FakeCudaConfig.DEFAULT)) {
      String library = FakeCuda.library().toString();
      CublasLibraries fake = new CublasLibraries(List.of("/nowhere/libcublas.so.12", library));

      assertThat(fake.search(CUDA_12_4))
          .isInstanceOfSatisfying(
              CublasSearch.Found.class,
              found -> {
                assertThat(found.cublas().version()).isEqualTo(CUDA_12_4);
                assertThat(found.library()).isEqualTo(library);
              });
      assertThat(fake.search(11080))
          .isEqualTo(
              new CublasSearch.Absent(
                  "no library here is of a version to use",
                  List.of(
                      "/nowhere/libcublas.so.12: not found, or not cuBLAS",
                      library + ": cuBLAS 12.4, not used with a driver of CUDA 11.8")));
    }
  }

  @Test
  void after_hasTheOthers() {
    CublasLibraries all = new CublasLibraries(List.of("a", "b", "c"));

    assertThat(all.after("b").files()).containsExactly("c");
    assertThat(all.after("c")).isEqualTo(CublasLibraries.NONE);
  }
}
