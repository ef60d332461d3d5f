package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The jars that a program gets with headrace-client; the build writes its class path. Another jar
 * is a cost to every user, so the lists change on purpose only.
 */
final class DependenciesTest {
  private static final Path CLASS_PATH = Path.of("target/runtime-class-path.txt");

  private static final List<String> LIBRARIES =
      List.of(
          "animal-sniffer-annotations",
          "annotations",
          "failureaccess",
          "grpc-api",
          "grpc-context",
          "grpc-core",
          "grpc-netty-shaded",
          "grpc-protobuf",
          "grpc-protobuf-lite",
          "grpc-stub",
          "grpc-util",
          "gson",
          "headrace-dataset",
          "headrace-kernels",
          "headrace-proto",
          "headrace-rpc",
          "headrace-runtime",
          "guava",
          "j2objc-annotations",
          "jspecify",
          "jsr305",
          "listenablefuture",
          "perfmark-api",
          "proto-google-common-protos",
          "protobuf-java",
          "protobuf-java-util",
          "snappy-java");

  @Test
  void client_bringsTheseLibrariesOnly() throws IOException {
    assertThat(
            Stream.of(Files.readString(CLASS_PATH).split(File.pathSeparator))
                .map(entry -> library(Path.of(entry))))
        .containsExactlyInAnyOrderElementsOf(LIBRARIES);
  }

  /** Without others, programs that are linked with few modules of the JDK run it, too. */
  @Test
  void client_needsTheseModulesOfTheJdkOnly() throws IOException {
    List<String> jdeps =
        new ArrayList<>(
            List.of("--multi-release", "25", "--ignore-missing-deps", "--print-module-deps"));
    jdeps.add("target/classes");
    Stream.of(Files.readString(CLASS_PATH).split(File.pathSeparator))
        .filter(entry -> library(Path.of(entry)).startsWith("headrace-"))
        .forEach(jdeps::add);
    StringWriter output = new StringWriter();

    int status =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(
                new PrintWriter(output, true),
                new PrintWriter(output, true),
                jdeps.toArray(String[]::new));

    assertThat(status).as(output.toString()).isZero();
    assertThat(output.toString().strip().split(","))
        .containsExactly("java.base", "java.desktop", "java.management", "java.sql");
  }

  /** The name of a jar without its version, or that of the module whose classes are not packed. */
  private static String library(Path entry) {
    return entry.endsWith(Path.of("target", "classes"))
        ? "headrace-" + entry.getName(entry.getNameCount() - 3)
        : entry.getFileName().toString().replaceFirst("-[0-9].*", "");
  }
}
