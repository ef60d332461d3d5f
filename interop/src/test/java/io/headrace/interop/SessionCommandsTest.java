package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code headrace devices} and {@code headrace run} on servers of either kind. */
final class SessionCommandsTest {
  private static final Path FOLDER = TestPaths.output("feeds");

  @BeforeAll
  static void writeGraph() throws InterruptedException {
    var command = StockTensorFlow.command("feeds.py", FOLDER.toString());
    try (var writer = ManagedProcess.start("feeds", command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(writer.awaitEnd(120)).as(writer.tailOfLog()).isZero();
    }
  }

  private static ManagedProcess run(String command, String... arguments) {
    return ManagedProcess.start(
        "headrace-" + command,
        HeadraceLauncher.command(command, arguments),
        StockTensorFlow.ENVIRONMENT);
  }

  private static String file(String name) {
    return FOLDER.resolve(name).toString();
  }

  @ParameterizedTest(name = "stock: {0}")
  @ValueSource(booleans = {true, false})
  void graphOfAStockProgram_isRun(boolean isStock) throws InterruptedException {
    String address = Servers.freeAddress();
    String cluster = "{\"alone\": [\"" + address + "\"]}";
    try (Servers servers = new Servers()) {
      String server =
          isStock
              ? servers.startStockTask(cluster, "alone")
              : servers.startHeadraceTask(cluster, "alone");
      try (var devices = run("devices", server)) {
        devices.awaitLine("/job:alone/replica:0/task:0/device:CPU:0 CPU ", 60);
        assertThat(devices.awaitEnd(60)).isZero();
      }
      try (var init = run("run", server, file("graph.pb"), "--target=init")) {
        assertThat(init.awaitEnd(60)).as(init.tailOfLog()).isZero();
      }
      String[] step =
          Stream.of(
                  "grpc://" + server,
                  file("graph.pbtxt"),
                  "--feed=x=@" + file("x.npy"),
                  "--feed=b=0.5",
                  "--feed=s=@" + file("s.npy"),
                  "--fetch=y",
                  "--fetch=t:0")
              .toArray(String[]::new);
      try (var run = run("run", step)) {
        assertThat(run.awaitLine("y ", 60)).isEqualTo("float[3,1] [[21.5], [43.5], [65.5]]");
        assertThat(run.awaitLine("t:0 ", 60)).isEqualTo("string[] \"a+\u00fcb\"");
        assertThat(run.awaitEnd(60)).isZero();
      }
      // The command may lack an op that the server knows.
      try (var unknown = run("run", server, file("unknown.pb"), "--fetch=unknown")) {
        assertThat(unknown.awaitEnd(60)).as(unknown.tailOfLog()).isEqualTo(isStock ? 0 : 1);
      }
    }
  }
}
