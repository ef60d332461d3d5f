package io.headrace.cli.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder that is deleted with its contents when it is closed, unless it is to be kept.
 *
 * @param path its path
 * @param keep whether to keep it
 */
public record DrillFolder(Path path, boolean keep) implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(DrillFolder.class.getName());
  private static final String PREFIX = "headrace-";

  /** Creates a folder in {@code parent}, or in the directory for temporary files. */
  public static DrillFolder create(Optional<Path> parent, boolean keep) throws IOException {
    Path path =
        parent.isPresent()
            ? Files.createTempDirectory(parent.get().toAbsolutePath(), PREFIX)
            : Files.createTempDirectory(PREFIX);
    return new DrillFolder(path, keep);
  }

  @Override
  public void close() {
    if (keep) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (NoSuchFileException e) {
      // Already deleted.
    } catch (IOException | UncheckedIOException e) {
      LOGGER.log(Level.WARNING, "{0} could not be deleted: {1}", path, e);
    }
  }
}
