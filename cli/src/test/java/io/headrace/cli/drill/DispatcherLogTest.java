package io.headrace.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DispatcherLogTest {
  private static final String PREFIX = "2026-01-02T03:04:05.678Z WARNING JobLog: ";

  @TempDir private Path folder;

  @Test
  void losses_addUpOverTheLog() throws IOException {
    DispatcherLog log =
        log(
            "task 1 of iteration 1 of job 2 (name) ended with its worker localhost:1, after 1204"
                + " elements; at most 27 elements that it had announced are missing from this pass,"
                + " and the rest of its work is made again",
            "worker localhost:2 has left",
            "task 2 of iteration 1 ended as its worker localhost:2 left, after 7 elements; at most"
                + " 2 elements that it had announced are missing from this pass, and the rest of"
                + " its work is made again",
            "task 3 of iteration 1 of job 2 (name) ended with its worker localhost:1, after 9"
                + " elements; the rest of its work is made again, and nothing is missing");

    assertThat(log.losses()).isEqualTo(new DispatcherLog.Losses(2, 29));
  }

  @Test
  void emptyLog_tellsOfNoLoss() throws IOException {
    assertThat(log().losses()).isEqualTo(new DispatcherLog.Losses(0, 0));
  }

  private DispatcherLog log(String... messages) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String message : messages) {
      text.append(PREFIX).append(message).append('\n');
    }
    Files.writeString(folder.resolve("dispatcher.log"), text);
    return DispatcherLog.in(folder);
  }
}
