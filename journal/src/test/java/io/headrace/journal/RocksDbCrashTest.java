package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.journal.SimulatedDirectory.Crash;
import io.headrace.journal.SystemCalls.Call;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Crashes after every single change that a journal makes on its disk, from the first start to the
 * last close. The changes are recorded from a real process. For each one the test constructs the
 * disk after a crash and opens a journal on it.
 *
 * <p>The kinds of crashes take turns; {@code -Dcrashes=all} tests all kinds after each change.
 */
final class RocksDbCrashTest {
  private static final boolean ALL = "all".equals(System.getProperty("crashes"));
  private static final List<List<String>> STATES = CrashingWriter.states();

  @TempDir Path temporary = Path.of("");

  @Test
  void crashAfterEveryChange_losesNoAcknowledgedRecord() throws IOException, InterruptedException {
    Path directory = temporary.resolve("work");
    List<Call> calls = record(directory);
    SimulatedDirectory disk = new SimulatedDirectory(directory);
    int acknowledged = 0;
    int changes = 0;
    for (Call call : calls) {
      if (call.name().equals("write") && call.text().equals("acknowledged\n")) {
        acknowledged++;
      } else if (apply(call, disk)) {
        changes++;
        for (Crash crash : crashes(changes)) {
          String when = crash + " after change " + changes + ", " + call.in();
          assertRecovers(disk, crash, acknowledged, when);
        }
      }
    }
    assertThat(acknowledged).isEqualTo(STATES.size() - 1);
    assertThat(changes).isGreaterThan(80);
  }

  private static List<Crash> crashes(int change) {
    List<Crash> all = List.of(Crash.values());
    return ALL ? all : List.of(all.get(change % all.size()));
  }

  private List<Call> record(Path directory) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            CrashingWriter.class.getName(),
            directory.toString());
    return SystemCalls.trace(command, directory, temporary.resolve("trace"));
  }

  /** Applies a call; returns whether it changes the disk. */
  private static boolean apply(Call call, SimulatedDirectory disk) {
    Path path = call.path();
    switch (call.name()) {
      case "openat" -> {
        if (!call.arguments().contains("O_CREAT")) {
          return false;
        }
        disk.create(path, call.arguments().contains("O_TRUNC"));
      }
      case "mkdir" -> disk.makeDirectory(path);
      case "write" -> {
        if (!path.isAbsolute()) {
          return false;
        }
        disk.append(path, call.bytes());
      }
      case "pwrite64" -> disk.write(path, call.bytes(), call.number());
      case "ftruncate" -> disk.truncate(path, call.number());
      case "fsync", "fdatasync" -> disk.flush(path);
      case "rename" -> disk.rename(path, Path.of(call.text()));
      case "unlink", "rmdir" -> disk.delete(path);
      default -> throw new IllegalStateException(call.toString());
    }
    return true;
  }

  private void assertRecovers(SimulatedDirectory disk, Crash crash, int acknowledged, String when)
      throws IOException {
    Path left = temporary.resolve("left");
    disk.crash(crash, left);
    try (Journal journal = RocksDbJournal.open(left, false)) {
      assertThat(replay(journal)).as(when).isIn(possible(acknowledged));
      append(journal, "goes on");
    } catch (StatusException e) {
      throw new AssertionError(when, e);
    }
  }

  /** The acknowledged records, without and with the write in flight. */
  private static List<List<String>> possible(int acknowledged) {
    return STATES.subList(acknowledged, Math.min(acknowledged + 2, STATES.size()));
  }
}
