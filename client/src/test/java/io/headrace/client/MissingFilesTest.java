package io.headrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dataset.Shuffle;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pattern of files that matches none, read in this process and through the service. */
@Timeout(120)
final class MissingFilesTest {
  private static DispatchServer dispatcher;
  private static WorkerServer worker;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    dispatcher = DispatchServer.start(DispatcherConfig.defaults());
    worker = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  }

  @AfterAll
  static void stop() {
    worker.close();
    dispatcher.close();
  }

  @Test
  void listFiles_ofNoFile_isNotFoundNamingThePattern() {
    assertNotFound(Dataset.listFiles(pattern(), Shuffle.RANDOM));
  }

  @Test
  void listFilesOrEmpty_ofNoFile_isEmpty() {
    assertThat(names(Dataset.listFilesOrEmpty(pattern(), Shuffle.RANDOM))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"PARALLEL_EPOCHS", "DYNAMIC"})
  void listFiles_distributed_isNotFoundNamingThePattern(ProcessingMode mode) {
    assertNotFound(distributed(Dataset.listFiles(pattern(), Shuffle.RANDOM), mode));
  }

  @ParameterizedTest
  @EnumSource(names = {"PARALLEL_EPOCHS", "DYNAMIC"})
  void listFilesOrEmpty_distributed_isEmpty(ProcessingMode mode) {
    assertThat(names(distributed(Dataset.listFilesOrEmpty(pattern(), Shuffle.RANDOM), mode)))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"PARALLEL_EPOCHS", "DYNAMIC"})
  void listFiles_ofAFile_isItsName(ProcessingMode mode) throws IOException {
    Path file = Files.createFile(folder.resolve("a.txt"));

    assertThat(names(distributed(Dataset.listFiles(pattern(), Shuffle.RANDOM), mode)))
        .containsExactly(file.toString());
  }

  private String pattern() {
    return folder + "/*.txt";
  }

  private static Dataset distributed(Dataset dataset, ProcessingMode mode) {
    return dataset.apply(DataService.distribute(DistributeOptions.of(mode), dispatcher.target()));
  }

  private void assertNotFound(Dataset dataset) {
    assertThatThrownBy(() -> names(dataset))
        .hasMessageContaining(pattern())
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.NOT_FOUND);
  }

  private static List<String> names(Dataset dataset) {
    List<String> names = new ArrayList<>();
    try (ElementIterator elements = dataset.iterator()) {
      while (elements.hasNext()) {
        names.add(new String(elements.next().tensor().string(0), UTF_8));
      }
    }
    return names;
  }
}
