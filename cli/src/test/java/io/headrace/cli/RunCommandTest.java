package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.Variable;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.rpc.FreePort;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 5, unit = MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RunCommandTest {
  private final Server server =
      Server.start(ServerDefs.local(ConfigProto.newBuilder().putDeviceCount("CPU", 2).build()));

  private Path folder = Path.of("");
  private GraphDef graph = GraphDef.getDefaultInstance();
  private Path file = Path.of("");

  @BeforeAll
  void writeGraph(@TempDir Path shared) throws IOException {
    folder = shared;
    Graph g = new Graph();
    Output x = g.op("Placeholder").named("x").attr("dtype", DataType.FLOAT32).build();
    Output s = g.op("Placeholder").named("s").attr("dtype", DataType.STRING).build();
    Variable w = g.variable("w", g.constant(2f));
    var _ = g.op("Mul").named("y").input(x).input(w.value()).build();
    var _ = g.op("Identity").named("t").input(s).build();
    var _ = g.op("Cast").named("half").input(x).attr("DstT", DataType.FLOAT16).build();
    Output eight = g.op("Placeholder").named("eight").attr("dtype", DataType.FLOAT8_E4M3FN).build();
    Output four = g.op("Placeholder").named("four").attr("dtype", DataType.INT4).build();
    var _ = g.op("Cast").named("wide").input(eight).attr("DstT", DataType.FLOAT32).build();
    var _ = g.op("Identity").named("same_eight").input(eight).build();
    var _ = g.op("Identity").named("same_four").input(four).build();
    var _ = g.op("NoOp").named("init").after(g.initializer()).buildOperation();
    var _ = g.placeholder(DataType.COMPLEX64, Shape.SCALAR);
    graph = g.toGraphDef();
    file = Files.write(folder.resolve("graph.pb"), graph.toByteArray());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private CommandRun run(Path graphFile, String... flags) {
    List<String> args = new ArrayList<>(List.of("run", server.target(), graphFile.toString()));
    args.addAll(List.of(flags));
    return CommandRun.of(args.toArray(String[]::new));
  }

  @Test
  void flags_andTheirDefaults() {
    assertThat(FlagDefaults.of(new RunCommand()))
        .isEqualTo(
            Map.of(
                "--feed", "none",
                "--fetch", "none",
                "--target", "none",
                "--json", "none",
                "--max-values", "-1",
                "--timeout-ms", "60000"));
    assertThat(FlagDefaults.of(new DevicesCommand()))
        .isEqualTo(Map.of("--explain", "none", "--timeout-ms", "60000"));
  }

  @Test
  void devices_areListed() {
    CommandRun run = CommandRun.of("devices", server.target());

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .hasSize(2)
        .allMatch(
            line -> line.matches("/job:localhost/replica:0/task:0/device:CPU:. CPU \\d+ \\d+"));
  }

  @Test
  void run_printsWhatItFetches_withDtypeAndShape() {
    assertThat(run(file, "--target=init").out()).isEmpty();

    CommandRun run = run(file, "--feed=x=[[1, 2.5]]", "--fetch=y", "--fetch=half:0");

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("y float[1,2] [[2.0, 5.0]]\nhalf:0 half[1,2] [[1.0, 2.5]]\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void run_json_isOneObject() {
    CommandRun run =
        run(
            file,
            "--feed=x=1e39",
            "--feed=s=[\"a\", {\"b64\": \"/w==\"}]",
            "--fetch=t",
            "--fetch=half",
            "--json");

    assertThat(run.out())
        .isEqualTo(
            "{\"t\":{\"dtype\":\"string\",\"shape\":[2],\"value\":[\"a\",{\"b64\":\"/w==\"}]},\"half\":{\"dtype\":\"half\",\"shape\":[],\"value\":\"Infinity\"}}\n");
  }

  @Test
  void run_ofFloat8AndInt4_takesAndShowsTheirValues() {
    CommandRun run =
        run(
            file,
            "--feed=eight=[1.49, 500]",
            "--feed=four=[-8, 7]",
            "--fetch=wide",
            "--fetch=same_eight",
            "--fetch=same_four",
            "--json");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            "{\"wide\":{\"dtype\":\"float\",\"shape\":[2],\"value\":[1.5,\"NaN\"]},\"same_eight\":{\"dtype\":\"float8_e4m3fn\",\"shape\":[2],\"value\":[1.5,\"NaN\"]},\"same_four\":{\"dtype\":\"int4\",\"shape\":[2],\"value\":[-8,7]}}\n");
    assertThat(run(file, "--feed=four=8", "--fetch=same_four").err()).contains("not a int4: 8");
  }

  @Test
  void run_maxValues_cuts() {
    CommandRun run = run(file, "--feed=x=[1, 2, 3]", "--fetch=half", "--max-values=2");

    assertThat(run.out()).isEqualTo("half half[3] [1.0, 2.0, ...]\n");
  }

  @Test
  void run_takesNumpysFiles() throws IOException {
    Path x = Files.write(folder.resolve("x.npy"), NpyFileTest.file("<f4", false, "2", 0, 0, 0, 63));

    CommandRun run = run(file, "--feed=x=@" + x.toString(), "--fetch=x");

    assertThat(run.err()).contains("takes 8 bytes, and it has 4");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void run_takesEveryFormOfGraph() throws IOException {
    Path text =
        Files.writeString(folder.resolve("graph.pbtxt"), TextFormat.printer().printToString(graph));
    UnknownFieldSet meta = inField2(graph.toByteArray());
    Path metaGraph = Files.write(folder.resolve("meta"), meta.toByteArray());
    Path saved = Files.write(folder.resolve("saved"), inField2(meta.toByteArray()).toByteArray());

    for (Path form : List.of(text, metaGraph, saved)) {
      CommandRun run = run(form, "--feed=s=\"a\"", "--fetch=t");
      assertThat(run.out()).as(run.err()).isEqualTo("t string[] \"a\"\n");
    }
  }

  private static UnknownFieldSet inField2(byte[] message) {
    Field field = Field.newBuilder().addLengthDelimited(ByteString.copyFrom(message)).build();
    return UnknownFieldSet.newBuilder().addField(2, field).build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--fetch=z| --fetch: the graph has no node z",
        "--target=z| --target: the graph has no node z",
        "--feed=x| --feed must be NAME=VALUE or NAME=@FILE.npy, not x",
        "--feed=x=1 2| --feed x:0: 1 2 is not JSON; text is written \"like this\", a file"
            + " @FILE.npy",
        "--feed=x=\"a\"| --feed x:0: not a float: For input string: \"a\"",
        "--feed=s=7| --feed s:0: not a string: 7",
        "--feed=x=[[1], [2, 3]]| --feed x:0: not a float: its rows are not all of one length",
        "--feed=x=@/no/file.npy| /no/file.npy can't be read: NoSuchFileException",
        "--max-values=-1| nothing to run: give --fetch or --target",
        "--timeout-ms=0| nothing to run: give --fetch or --target",
      })
  void badFlag_isRefusedInOneLine(String flag, String reason) {
    CommandRun run = run(file, flag);

    assertThat(run.err()).isEqualTo("headrace run: " + reason + "\n");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void noGraph_isRefusedInOneLine() throws IOException {
    CommandRun run = run(Files.writeString(folder.resolve("none"), "hello"), "--fetch=x");

    assertThat(run.err()).hasLineCount(1).contains("none holds no graph");
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void failedStep_isToldInOneLine() {
    CommandRun run = run(file, "--fetch=t");

    assertThat(run.err())
        .hasLineCount(1)
        .startsWith("headrace run: ")
        .contains("You must feed a value for placeholder tensor 's'");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void unreachableTarget_isReportedAfterTheTimeout() throws IOException {
    String address = "localhost:" + FreePort.find(new Random());

    CommandRun run = CommandRun.of("devices", address, "--timeout-ms=300");

    assertThat(run.err())
        .isEqualTo(
            "headrace devices: no task could be reached at %s within 300 ms: nobody listens there,"
                    .formatted(address)
                + " or it is cut off\n");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void unreachableTarget_isReportedOnceWhileWaiting() throws IOException {
    String address = "localhost:" + FreePort.find(new Random());

    CommandRun run = CommandRun.of("devices", address, "--timeout-ms=8000");

    assertThat(run.err().lines().toList())
        .hasSize(2)
        .first()
        .isEqualTo("headrace devices: waiting for " + address + ", which does not answer yet");
    assertThat(run.err().lines().toList().getLast()).contains(address + " within 8000 ms");
    assertThat(run.status()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"localhost,HOST:PORT", "http://h:1,protocol http", "h:x,h:x"})
  void badTarget_isRefusedInOneLine(String target, String reason) {
    CommandRun run = CommandRun.of("devices", target);

    assertThat(run.err()).hasLineCount(1).contains(reason);
    assertThat(run.status()).isEqualTo(2);
  }
}
