package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Csv;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Field;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sources that cannot be divided dynamically; the refusal says what works. */
@Timeout(60)
final class UndividedLoadTest {
  @TempDir Path folder;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  private long count(Dataset dataset, ProcessingMode mode) {
    return dataset.apply(DataService.distribute(mode, dispatcher.target())).stream().count();
  }

  @Test
  void csvFilesByName_areRefusedUnderDynamicSharding_whichDividesThoseByPattern()
      throws IOException {
    String file = Files.writeString(folder.resolve("a.csv"), "1\n2\n").toString();
    Csv format = Csv.of(Field.int64("id"));

    assertThatThrownBy(() -> count(Dataset.csv(format, file), ProcessingMode.DYNAMIC))
        .hasMessageContaining("as Dataset.files(pattern).csv(format) does")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
    assertThat(count(Dataset.files(folder + "/*.csv").csv(format), ProcessingMode.DYNAMIC))
        .isEqualTo(2);
  }

  @Test
  void savedDataset_isRefusedUnderDynamicSharding_andReadWithoutSharding() {
    String path = folder.resolve("numbers").toString();
    Dataset.range(10).save(path);
    Dataset loaded = Dataset.load(path);

    assertThatThrownBy(() -> count(loaded, ProcessingMode.DYNAMIC))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNIMPLEMENTED))
        .hasMessageContaining("what save wrote is one run of files that is read as a whole")
        .hasMessageContaining("PARALLEL_EPOCHS")
        .hasMessageContaining("distributedSave");
    assertThat(count(loaded, ProcessingMode.PARALLEL_EPOCHS)).isEqualTo(10);
  }
}
