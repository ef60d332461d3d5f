package io.headrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datasets that are written to a disk of 2 MiB: a tmpfs, which only root may mount. */
final class FullDiskTest {
  @TempDir private Path folder;
  private boolean isMounted;

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/mount")), "skipped: there is no mount command");
    isMounted = run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.toString()) == 0;
    assumeTrue(isMounted, "skipped: a tmpfs can't be mounted here");
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    if (isMounted) {
      assertThat(run("umount", folder.toString())).isZero();
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }

  private String path() {
    return folder.resolve("saved").toString();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.sorted().toList();
    }
  }

  /** About 8 MB of rows. */
  private static Dataset large() {
    return Dataset.range(1_000_000).batch(10_000);
  }

  private static void assertExhausted(ThrowingCallable call, Path file) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).as(e.message()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("No space left on device")
        .hasMessageContaining(file.toString());
  }

  @Test
  void save_onAFullDisk_leavesWhatWasThere() throws IOException {
    Dataset.range(3).save(path());
    List<Path> before = files();

    assertExhausted(() -> large().save(path()), Path.of(path()));

    assertThat(files()).isEqualTo(before);
    assertThat(Dataset.load(path()).stream().map(Element::asLong)).containsExactly(0L, 1L, 2L);
  }

  @Test
  void snapshot_onAFullDisk_isNotThere() throws IOException {
    Dataset snapshot = large().snapshot(path(), SaveOptions.SNAPSHOT.compression(Compression.NONE));

    assertExhausted(() -> snapshot.stream().count(), Path.of(path()));

    assertThat(files()).noneMatch(Files::isRegularFile);
    assertThat(large().take(2).snapshot(path()).stream()).hasSize(2);
  }

  @Test
  void cacheFile_onAFullDisk_isNotThere() throws IOException {
    assertExhausted(() -> large().cache(path()).stream().count(), Path.of(path()));

    assertThat(files()).containsExactly(folder);
    assertThat(large().take(2).cache(path()).stream()).hasSize(2);
  }
}
