package io.headrace.cli.drill;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A small tmpfs, which only root may mount; it is full for all users. */
final class Tmpfs implements FullDisk {
  private static final System.Logger LOGGER = System.getLogger(Tmpfs.class.getName());
  private static final int MEGABYTES = 64;
  private static final int BLOCK_BYTES = 4096;
  private static final int PIECE_BYTES = 1 << 20;

  private final Path directory;
  private final Path filler;
  private final AtomicBoolean mounted = new AtomicBoolean(true);

  private Tmpfs(Path directory) {
    this.directory = directory;
    this.filler = directory.resolve("filler");
  }

  /** Mounts a tmpfs at the existing {@code directory}; empty if that is not permitted. */
  static Optional<FullDisk> mount(Path directory) throws InterruptedException {
    String options = "size=" + MEGABYTES + "m,mode=700";
    SystemCommands.Result result =
        SystemCommands.run(List.of("mount", "-t", "tmpfs", "-o", options, "tmpfs", "" + directory));
    return result.status() == 0 ? Optional.of(new Tmpfs(directory)) : Optional.empty();
  }

  @Override
  public String what() {
    return "a tmpfs of " + MEGABYTES + " MiB";
  }

  @Override
  public void fill(DrillProcess process) throws IOException {
    try (FileChannel channel =
        FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (long left = usableBytes(); left >= BLOCK_BYTES; left = usableBytes()) {
        var _ = channel.write(ByteBuffer.allocate((int) Math.min(left, PIECE_BYTES)));
      }
    }
  }

  private long usableBytes() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public void makeRoom(DrillProcess process) throws IOException {
    Files.deleteIfExists(filler);
  }

  @Override
  public void close() {
    if (mounted.getAndSet(false)) {
      try {
        SystemCommands.need(List.of("umount", directory.toString()));
      } catch (InterruptedException e) {
        LOGGER.log(Level.WARNING, "interrupted; {0} may still be mounted", directory);
        Thread.currentThread().interrupt();
      }
    }
  }
}
