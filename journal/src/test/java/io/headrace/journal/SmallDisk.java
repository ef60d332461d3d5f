package io.headrace.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A small file system that fills up quickly: a tmpfs, which only root may mount. */
final class SmallDisk implements AutoCloseable {
  private static final int BLOCK_BYTES = 4096;

  private final Path directory;
  private final Path filler;

  private SmallDisk(Path directory) {
    this.directory = directory;
    filler = directory.resolve("filler");
  }

  /** Mounts a file system at the existing {@code directory}; skips the test without permission. */
  static SmallDisk mount(Path directory, String size) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/mount")), "skipped: there is no mount command");
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", "" + directory)
            .redirectErrorStream(true)
            .start();
    String said = mount.inputReader().readAllAsString();
    assumeTrue(mount.waitFor() == 0, "skipped: a tmpfs can't be mounted here: " + said);
    return new SmallDisk(directory);
  }

  Path directory() {
    return directory;
  }

  /** Fills the disk up to {@code leftBytes}. */
  void fill(long leftBytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (Files.getFileStore(directory).getUsableSpace() >= leftBytes + BLOCK_BYTES) {
        var _ = channel.write(ByteBuffer.allocate(BLOCK_BYTES));
      }
    }
  }

  /** Frees the filled space. */
  void makeRoom() throws IOException {
    Files.deleteIfExists(filler);
  }

  @Override
  public void close() throws IOException {
    try {
      Process unmount = new ProcessBuilder("umount", "" + directory).inheritIO().start();
      assertThat(unmount.waitFor()).isZero();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
