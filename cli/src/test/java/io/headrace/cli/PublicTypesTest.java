package io.headrace.cli;

import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public types of the packages that programs use, held by a list: whatever becomes public is a
 * promise, and is made on purpose.
 */
final class PublicTypesTest {
  private static final String ROOT = "io.headrace.";

  /** The packages of headrace-client and headrace-server that programs use. */
  private static final Set<String> PACKAGES =
      Set.of(
          "client",
          "dataset",
          "runtime.graph",
          "runtime.status",
          "runtime.tensor",
          "dispatcher",
          "worker");

  /** The classes or the jar of a module with such a package; installed, if it is not built too. */
  private static final Pattern MODULE =
      Pattern.compile(
          "(client|dataset|runtime|dispatcher|worker)/(target/(classes$|headrace-)|[^/]+/headrace-)");

  private static final Pattern DEPENDENCY =
      Pattern.compile(" +io[.]headrace[.](\\S+) +-> (\\S+) .*");

  @Test
  void publicTypes_areThoseOfTheList() throws IOException {
    assertThat(
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages(PACKAGES.stream().map(name -> ROOT + name).toList())
                    .stream()
                    .filter(
                        type -> PACKAGES.contains(type.getPackageName().substring(ROOT.length())))
                    .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(PUBLIC))
                    .map(JavaClass::getName)
                    .map(name -> name.substring(ROOT.length())))
        .as("public types: a new one belongs into public-types.txt if programs are to use it")
        .containsExactlyInAnyOrderElementsOf(list("public-types.txt"));
  }

  /** A program that calls these packages also depends on the packages that their methods show. */
  @Test
  void publicMethods_showTypesOfThePackagesOfTheList() throws IOException {
    assertThat(
            jdeps()
                .lines()
                .map(DEPENDENCY::matcher)
                .filter(Matcher::matches)
                .filter(line -> PACKAGES.contains(line.group(1)))
                .filter(line -> !line.group(2).startsWith("java."))
                .filter(line -> !PACKAGES.contains(line.group(2).replaceFirst("^" + ROOT, "")))
                .map(line -> line.group(1) + " -> " + line.group(2)))
        .as("other packages that public methods show: each is a promise, too")
        .containsExactlyInAnyOrderElementsOf(list("public-signatures.txt"));
  }

  /** The packages that the signatures of each package use, one a line. */
  private static String jdeps() {
    String classPath = System.getProperty("java.class.path");
    List<String> arguments =
        new ArrayList<>(List.of("--multi-release", "25", "--ignore-missing-deps", "--api-only"));
    arguments.addAll(List.of("-verbose:package", "-cp", classPath));
    Stream.of(classPath.split(File.pathSeparator))
        .filter(entry -> MODULE.matcher(entry).find())
        .forEach(arguments::add);
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output, true);
    int status =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new));
    assertThat(status).as(output.toString()).isZero();
    return output.toString();
  }

  private static List<String> list(String name) throws IOException {
    try (InputStream file =
        Objects.requireNonNull(PublicTypesTest.class.getResourceAsStream(name))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
