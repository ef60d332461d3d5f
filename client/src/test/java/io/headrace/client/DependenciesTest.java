package io.headrace.client;

import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The jars that a program gets with headrace-client; the build writes its class path. Another jar
 * is a cost to every user, so the lists change on purpose only.
 */
final class DependenciesTest {
  private static final Path CLASS_PATH = Path.of("target/runtime-class-path.txt");

  @Test
  void client_bringsNoServerNoNativeLibrariesAndNoStorage() throws IOException {
    Map<Boolean, List<Path>> entries =
        Stream.of(Files.readString(CLASS_PATH).split(File.pathSeparator))
            .map(Path::of)
            .collect(
                partitioningBy(entry -> entry.endsWith(Path.of("target", "classes")), toList()));

    assertThat(entries.get(true).stream().map(DependenciesTest::module))
        .containsExactlyInAnyOrder("dataset", "kernels", "proto", "rpc", "runtime");
    assertThat(entries.get(false).stream().map(DependenciesTest::library))
        .containsExactlyInAnyOrder(LIBRARIES);
  }

  private static String module(Path classes) {
    return classes.getName(classes.getNameCount() - 3).toString();
  }

  /** The name of a jar without its version. */
  private static String library(Path jar) {
    return jar.getFileName().toString().replaceFirst("-[0-9].*", "");
  }

  private static final String[] LIBRARIES = {};
}
