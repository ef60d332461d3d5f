package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code headrace drill} on an existing cluster, with the fault injected by a command. */
@Timeout(value = 5, unit = MINUTES)
final class InjectedDrillTest {
  @TempDir private Path folder;

  private final DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());

  @BeforeEach
  void start() {
    dispatcher.start();
  }

  @AfterEach
  void stop() {
    dispatcher.close();
  }

  @Test
  void commandThatHarmsNothing_keepsThePromise_andTheOneThatFailsMakesNoVerdict()
      throws IOException {
    try (HeadraceProcess worker = worker()) {
      Path mark = folder.resolve("mark");
      CommandRun kept = drill("touch " + mark, 1, 100);
      CommandRun failed = drill("exit 3", 1, 100);

      assertThat(kept.status()).as(kept.err()).isZero();
      assertThat(kept.out())
          .contains("touch " + mark, "delivered 500, lost 0, duplicated 0", "exactly_once: kept");
      assertThat(mark).exists();
      assertThat(failed.status()).isEqualTo(2);
      assertThat(failed.err()).hasLineCount(1).contains("ended with status 3: exit 3");
      assertThat(worker.children()).isEmpty();
    }
  }

  @Test
  void onlyWorkerKilledForGood_breaksThePromise() throws IOException {
    try (HeadraceProcess worker = worker()) {
      // The shell has the remaining six seconds of the read to kill the worker.
      CommandRun run = drill("kill -9 " + worker.pid(), 10, 20);

      assertThat(run.status()).as(run.err()).isEqualTo(1);
      assertThat(run.out()).contains("exactly_once: BROKEN", "the read did not end in 20 s");
    }
  }

  private HeadraceProcess worker() throws IOException {
    HeadraceProcess worker =
        HeadraceProcess.start("worker", "--dispatcher-address=" + dispatcher.address());
    var _ = worker.awaitReady();
    return worker;
  }

  /** 500 elements, large enough that few of them are buffered ahead of the reader. */
  private CommandRun drill(String command, int readSeconds, int limitSeconds) {
    return CommandRun.of(
        "drill",
        "--dispatcher-address=" + dispatcher.address(),
        "--inject=" + command,
        "--files=0",
        "--records-per-file=500",
        "--element-bytes=100000",
        "--read-seconds=" + readSeconds,
        "--limit-seconds=" + limitSeconds,
        "--folder=" + folder);
  }
}
