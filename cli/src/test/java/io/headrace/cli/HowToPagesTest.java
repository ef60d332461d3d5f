package io.headrace.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the pages in docs/howto to the programs in examples/app, which CI runs. */
final class HowToPagesTest {
  private static final Path PAGES = HouseDrawingTest.root().resolve("docs/howto");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PROGRAM = Pattern.compile("\\((\\S*/howto/\\w+[.]java)\\)");

  static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(PAGES)) {
      return files.sorted().toList();
    }
  }

  @Test
  void pages_areSix() throws IOException {
    assertThat(pages()).hasSize(6);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void page_showsItsProgramsOwnLines(Path page) throws IOException {
    String text = Files.readString(page);
    Matcher program = PROGRAM.matcher(text);
    assertThat(program.find()).as("it links its program").isTrue();
    String source = stripped(Files.readString(PAGES.resolve(program.group(1)).normalize()));
    List<String> blocks = BLOCK.matcher(text).results().map(block -> block.group(1)).toList();

    assertThat(blocks)
        .isNotEmpty()
        .allSatisfy(block -> assertThat(source).contains(stripped(block)));
  }

  /** The lines without their indentation. */
  private static String stripped(String text) {
    return text.lines().map(String::strip).collect(joining("\n"));
  }
}
