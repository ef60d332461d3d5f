package io.headrace.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies a directory as a crash would leave it, with its files in their present state. */
final class DirectoryCopy {
  private DirectoryCopy() {}

  /** Copies the tree {@code from}, which may be in use, over {@code to}, which is deleted first. */
  static void copy(Path from, Path to) throws IOException {
    delete(to);
    for (Path file : walk(from)) {
      Files.copy(file, to.resolve(from.relativize(file)));
    }
  }

  /** The files below {@code directory} whose names end in {@code ending}, by name. */
  static List<Path> files(Path directory, String ending) throws IOException {
    return walk(directory).stream().filter(file -> file.toString().endsWith(ending)).toList();
  }

  static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      walk(directory).reversed().forEach(DirectoryCopy::deleteOne);
    }
  }

  private static void deleteOne(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> walk(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.sorted(Comparator.naturalOrder()).toList();
    }
  }
}
