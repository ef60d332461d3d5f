package io.headrace.runtime.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataFilesTest {
  @TempDir private Path folder;
  private final Cancellation cancellation = new Cancellation();

  private void write(String... names) throws IOException {
    for (String name : names) {
      Files.createDirectories(folder.resolve(name).getParent());
      Files.writeString(folder.resolve(name), "");
    }
  }

  /** The names of files that match, without the folder. */
  private List<String> matching(String pattern) {
    return DataFiles.matching(folder + "/" + pattern, cancellation).stream()
        .map(name -> name.substring(folder.toString().length() + 1))
        .toList();
  }

  @Test
  void matching_patternInAFolderName_findsFilesInOrder() throws IOException {
    write("d2/b.txt", "d1/a.txt", "d1/c.txt", "e/a.txt");

    assertThat(matching("d?/*.txt")).containsExactly("d1/a.txt", "d1/c.txt", "d2/b.txt");
  }

  @Test
  void matching_patternOfManyStars_ends() throws IOException {
    write("a".repeat(255));
    String pattern = "*a".repeat(60) + "*b";

    assertTimeoutPreemptively(Duration.ofMinutes(1), () -> assertThat(matching(pattern)).isEmpty());
  }

  @Test
  void matching_namesLargerThanATensorMayBe_areRefused() throws IOException {
    write("a", "b", "c");
    long bound = TensorLimit.maxBytes();
    TensorLimit.setMaxBytes(2L * (folder.toString().length() + 2));
    try {
      assertThat(matching("[ab]")).containsExactly("a", "b");
      assertThatThrownBy(() -> matching("*"))
          .hasMessageContaining(folder + "/*")
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    } finally {
      TensorLimit.setMaxBytes(bound);
    }
  }

  @Test
  void matching_cancelled_ends() throws IOException {
    write("a");
    cancellation.cancel();

    assertThatThrownBy(() -> matching("*"))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.CANCELLED);
  }

  @Test
  void link_isGivenOnce_andChangesNothingWhereSomethingIs() throws IOException {
    write("a", "b");
    Files.writeString(folder.resolve("a"), "first");
    String target = folder.resolve("target").toString();

    assertThat(DataFiles.link(folder.resolve("a").toString(), target)).isTrue();
    assertThat(DataFiles.link(folder.resolve("b").toString(), target)).isFalse();
    assertThat(folder.resolve("target")).hasContent("first");
    assertThatThrownBy(() -> DataFiles.link(folder.resolve("none").toString(), target + "2"))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }
}
