package io.headrace.cli;

import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
        .containsExactlyInAnyOrderElementsOf(list());
  }

  private static List<String> list() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(PublicTypesTest.class.getResourceAsStream("public-types.txt"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
