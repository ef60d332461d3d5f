package io.headrace.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The paths of a test run, from system properties that the build sets. */
final class TestPaths {
  private TestPaths() {}

  /** The root of the source tree. */
  static Path root() {
    return Path.of(property("headrace.root"));
  }

  /** A Python interpreter with the stock TensorFlow of {@code interop/run}. */
  static Path python() {
    return Path.of(property("headrace.tensorflow.python"));
  }

  /** The folder of the Python scripts. */
  static Path scripts() {
    return root().resolve("interop/src/test/python");
  }

  /** A folder below {@code target} for this JVM, one of several that run tests. */
  static Path output(String name) {
    Path folder =
        root().resolve("interop/target/interop").resolve(property("headrace.fork")).resolve(name);
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String property(String name) {
    return Objects.requireNonNull(
        System.getProperty(name), () -> name + " is not set: run these tests by interop/run");
  }
}
