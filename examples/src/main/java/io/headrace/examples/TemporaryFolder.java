package io.headrace.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for the files of one run, deleted with them on close.
 *
 * @param path its path
 */
record TemporaryFolder(Path path) implements AutoCloseable {
  /** Creates a folder. */
  static TemporaryFolder create(String prefix) throws IOException {
    return new TemporaryFolder(Files.createTempDirectory(prefix));
  }

  @Override
  public void close() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
    Files.delete(path);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.toList();
    }
  }
}
