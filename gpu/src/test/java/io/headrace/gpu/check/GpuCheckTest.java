package io.headrace.gpu.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.check.CheckPoint.Outcome;
import io.headrace.gpu.check.ChildProcess.Ended;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check of a real GPU, on the fake driver. */
@Timeout(120)
@SuppressWarnings("InterruptedExceptionSwallowed")
final class GpuCheckTest {
  private static final Path CASES =
      Path.of("../kernels/src/test/resources/io/headrace/kernels/oracle");
  private static final Path PEERS = Path.of("../bench/gpu/peers.py");
  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  @TempDir Path folder;

  private static CudaSearch.Found found() {
    return switch (CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()))) {
      case CudaSearch.Found found -> found;
      case CudaSearch.Absent(String reason, _) -> throw new AssertionError(reason);
    };
  }

  private static FakeCuda start() {
    return FakeCuda.start(FakeCudaConfig.DEFAULT.withMemoryBytes(16 << 20));
  }

  /** The points of a part on the fake driver, or on one that {@code wrapping} makes of it. */
  private static List<CheckPoint> run(CheckPart part, UnaryOperator<CudaDriver> wrapping) {
    CheckPoints points = new CheckPoints(part.title(), NOWHERE);
    try (FakeCuda _ = start()) {
      CudaSearch.Found found = found();
      part.run(machine(wrapping.apply(found.driver()), found.library()), points);
    }
    return points.all();
  }

  private static CheckedMachine machine(CudaDriver driver, String library) {
    return new CheckedMachine(
        driver,
        library,
        new CublasLibraries(List.of(library)),
        Optional::empty,
        CASES,
        "/nowhere/python3",
        PEERS,
        CheckScale.REHEARSAL);
  }

  /** A driver whose results of kernels differ in a bit. */
  private static CudaDriver wrong(CudaDriver driver) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (_, method, arguments) -> {
              try {
                Object result = method.invoke(driver, arguments);
                if (method.getName().equals("memcpyDtoH")) {
                  MemorySegment to = (MemorySegment) arguments[0];
                  byte first = to.get(ValueLayout.JAVA_BYTE, 0);
                  to.set(ValueLayout.JAVA_BYTE, 0, (byte) (first ^ 1));
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private CheckArguments arguments(String... more) {
    CheckArguments parsed = CheckArguments.parse(List.of(more));
    return new CheckArguments(
        parsed.parts(),
        parsed.isList(),
        true,
        parsed.isSanitized(),
        parsed.inProcess(),
        parsed.to(),
        folder,
        CASES,
        "/nowhere/python3",
        PEERS,
        "test");
  }

  @ParameterizedTest
  @EnumSource(CheckPart.class)
  void parts_failNothingOnTheFakeDriver(CheckPart part) {
    List<CheckPoint> points = run(part, driver -> driver);

    assertThat(points).isNotEmpty();
    assertThat(points).extracting(CheckPoint::outcome).doesNotContain(Outcome.FAIL);
    boolean isSkipped = part == CheckPart.FIGURES || part == CheckPart.SANITIZER;
    assertThat(points.stream().anyMatch(point -> point.outcome() == Outcome.PASS))
        .isEqualTo(!isSkipped);
  }

  @Test
  void wrongResult_fails() throws IOException, InterruptedException {
    try (FakeCuda _ = start()) {
      CudaSearch.Found found = found();
      CudaSearch altered =
          new CudaSearch.Found(wrong(found.driver()), found.library(), found.tried());
      Path points = folder.resolve("points.json");

      int status =
          new GpuCheck(arguments("--in-process", "elementwise", "--to=" + points), NOWHERE)
              .run(altered);

      assertThat(status).isEqualTo(1);
      assertThat(Files.readString(points)).contains("FAIL", "differences in");
    }
  }

  /** The points of a part beside an interpreter, which is the same fake driver. */
  private static List<CheckPoint> besideInterpreter(
      CheckPart part, UnaryOperator<CudaDriver> wrapping) {
    CheckPoints points = new CheckPoints(part.title(), NOWHERE);
    try (FakeCuda _ = start()) {
      CudaSearch.Found found = found();
      part.run(
          new CheckedMachine(
              wrapping.apply(found.driver()),
              found.library(),
              CublasLibraries.NONE,
              () -> Optional.of(found.driver()),
              CASES,
              "/nowhere/python3",
              PEERS,
              CheckScale.REHEARSAL.withEvery(300)),
          points);
    }
    return points.all().stream().filter(point -> point.name().contains("interpreter")).toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"ELEMENTWISE", "KERNELS"})
  void interpretersBits_pass(CheckPart part) {
    assertThat(besideInterpreter(part, driver -> driver))
        .isNotEmpty()
        .extracting(CheckPoint::outcome)
        .containsOnly(Outcome.PASS);
  }

  @Test
  void otherBitsThanTheInterpreters_fail() {
    assertThat(besideInterpreter(CheckPart.ELEMENTWISE, GpuCheckTest::wrong))
        .extracting(CheckPoint::outcome)
        .containsOnly(Outcome.FAIL);
  }

  @Test
  void absentPeers_areSkippedByName() {
    assertThat(run(CheckPart.FIGURES, driver -> driver))
        .filteredOn(point -> point.name().contains(" beside "))
        .hasSize(4)
        .allSatisfy(point -> {
          String peer = point.name().replaceFirst(".* beside ", "");
          assertThat(point.outcome()).isEqualTo(Outcome.SKIPPED);
          assertThat(point.text()).startsWith(peer + ": ");
        });
  }

  @Test
  void noGpu_isTold_andHasAStatusOfItsOwn() throws IOException, InterruptedException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status =
          new GpuCheck(arguments(), out)
              .run(new CudaSearch.Absent("no driver", List.of("libcuda.so.1: not found")));

      assertThat(status).isEqualTo(2);
      assertThat(text.toString(StandardCharsets.UTF_8))
          .contains("there is no GPU to check: no driver", "libcuda.so.1: not found");
    }
  }

  @Test
  void parts_runInProcessesOfTheirOwn_andTheVerdictKeepsThem()
      throws IOException, InterruptedException {
    try (FakeCuda _ = start()) {
      assertThat(new GpuCheck(arguments("devices"), NOWHERE).run(found())).isZero();
      assertThat(new GpuCheck(arguments("sanitizer"), NOWHERE).run(found())).isZero();
    }
    assertThat(Files.readString(folder.resolve("verdict.json")))
        .contains("\"outcome\": \"PASS\"", "\"part\": \"devices\"", "\"part\": \"sanitizer\"");
    assertThat(Files.readString(folder.resolve("verdict.md")))
        .contains("| PASS | the driver |", "| SKIPPED | compute-sanitizer |");
  }

  @Test
  void verdict_beginsAnewOnAnotherGpu() throws IOException {
    Verdict first = new Verdict("one", "580", "test");
    first.put(CheckPart.MATH, List.of(new CheckPoint("exp", Outcome.FAIL, "3 ulp")));
    first.write(folder);
    Verdict same = new Verdict("one", "580", "test");
    Verdict other = new Verdict("another", "580", "test");

    same.addFrom(folder);
    other.addFrom(folder);

    assertThat(same.summary()).isEqualTo("FAIL: 0 passed, 1 failed, 0 skipped");
    assertThat(other.summary()).isEqualTo("SKIPPED: 0 passed, 0 failed, 0 skipped");
  }

  @Test
  void unknownPart_isRefusedWithTheNames() {
    assertThatThrownBy(() -> CheckArguments.parse(List.of("speed")))
        .hasMessageContaining("no part speed")
        .hasMessageContaining("figures");
  }

  @Test
  void figures_passAtTheirAim_andFailBelow() {
    CheckPoints points = new CheckPoints("figures", NOWHERE);
    FigurePoints figures = new FigurePoints(points, true);
    Peers peers = new Peers(Map.of("DALI", "2.0", "torchvision", "not installed"));

    figures.atLeast("reached", 0.85, 0.85, "");
    figures.atLeast("missed", 0.84, 0.85, "");
    figures.beside("faster", 1.0, peers, "DALI", 2);
    figures.beside("slower", 1.5, peers, "DALI", 2);
    figures.beside("absent", 1.0, peers, "torchvision", 2);

    assertThat(points.all())
        .extracting(CheckPoint::outcome)
        .containsExactly(Outcome.PASS, Outcome.FAIL, Outcome.PASS, Outcome.FAIL, Outcome.SKIPPED);
  }

  private static List<CheckPoint> sanitized(Function<List<String>, Ended> tool) {
    CheckPoints points = new CheckPoints("sanitizer", NOWHERE);
    try (FakeCuda _ = start()) {
      SanitizerPart.check(tool, machine(found().driver(), "libcuda.so.1"), points);
    }
    return points.all();
  }

  private static Ended sanitizer(List<String> arguments, int ofRaces) {
    boolean isWild = arguments.getLast().equals(GpuCheck.WILD);
    return new Ended(
        isWild ? SanitizerPart.FOUND : arguments.contains("racecheck") ? ofRaces : 0, "the end");
  }

  @Test
  void sanitizer_failsForWhatItFinds() {
    assertThat(sanitized(arguments -> sanitizer(arguments, 0)))
        .extracting(CheckPoint::outcome)
        .containsOnly(Outcome.PASS)
        .hasSize(4);
    assertThat(sanitized(arguments -> sanitizer(arguments, SanitizerPart.FOUND)))
        .filteredOn(point -> point.outcome() == Outcome.FAIL)
        .extracting(CheckPoint::name)
        .containsExactly("racecheck");
  }

  @Test
  void sanitizerThatSeesNothing_isSkipped() {
    assertThat(sanitized(_ -> new Ended(0, "ok")))
        .extracting(CheckPoint::outcome)
        .containsExactly(Outcome.SKIPPED);
  }
}
