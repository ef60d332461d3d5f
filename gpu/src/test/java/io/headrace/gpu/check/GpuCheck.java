package io.headrace.gpu.check;

import com.google.gson.JsonParser;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.check.CheckPoint.Outcome;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Checks the GPU of this machine, part by part, and writes a verdict. {@code bench/gpu/run} starts
 * it; without arguments it runs all parts, otherwise those that are named. The status is 0 if no
 * point failed, 1 if one did, and 2 if there is no GPU or an argument is wrong.
 */
public final class GpuCheck {
  /** Instead of a part's name: runs a kernel that is wrong, which a sanitizer must notice. */
  static final String WILD = "wild";

  private static final int FAILED = 1;
  private static final int REFUSED = 2;

  /** As many a part is given that runs beside others. */
  private static final int PROCESSORS = 2;

  /** How long a part may take. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** Of as many cases, a sanitizer sees one: it slows kernels down. */
  private static final int SANITIZED_EVERY = 5;

  private final CheckArguments arguments;
  private final PrintStream out;

  GpuCheck(CheckArguments arguments, PrintStream out) {
    this.arguments = arguments;
    this.out = out;
  }

  /** Runs the check. */
  @SuppressWarnings("SystemOut") // a program
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int status;
    try {
      CheckArguments parsed = CheckArguments.parse(List.of(arguments));
      status = new GpuCheck(parsed, System.out).run(search(parsed));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      status = REFUSED;
    }
    System.exit(status);
  }

  private static CudaSearch search(CheckArguments arguments) {
    if (!arguments.isRehearsal()) {
      return CudaDrivers.find();
    }
    var _ = FakeCuda.start(FakeCudaConfig.DEFAULT);
    return CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()));
  }

  /** Runs what the arguments say on the driver that was found. */
  int run(CudaSearch search) throws IOException, InterruptedException {
    if (arguments.isList()) {
      for (CheckPart part : CheckPart.values()) {
        out.printf("%-12s %s%n", part.title(), part.description());
      }
      return 0;
    }
    return switch (search) {
      case CudaSearch.Absent(String reason, List<String> tried) -> {
        out.println("there is no GPU to check: " + reason);
        tried.forEach(each -> out.println("  " + each));
        yield REFUSED;
      }
      case CudaSearch.Found(CudaDriver driver, String library, _) -> run(machine(driver, library));
    };
  }

  private CheckedMachine machine(CudaDriver driver, String library) {
    CheckScale scale = arguments.isRehearsal() ? CheckScale.REHEARSAL : CheckScale.FULL;
    return new CheckedMachine(
        driver,
        library,
        cublas(library),
        this::interpreter,
        arguments.cases(),
        arguments.python(),
        arguments.peers(),
        arguments.isSanitized() ? scale.withEvery(SANITIZED_EVERY) : scale);
  }

  /** The fake library on the fake driver; none below the sanitizer, which is for our kernels. */
  private CublasLibraries cublas(String driver) {
    if (arguments.isSanitized()) {
      return CublasLibraries.NONE;
    }
    return arguments.isRehearsal()
        ? new CublasLibraries(List.of(driver))
        : CublasLibraries.of(environmentOf(Path.of(arguments.python())));
  }

  /** This process's variables, and the environment of a Python, whose packages may have cuBLAS. */
  private static Map<String, String> environmentOf(Path python) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    Path bin = python.isAbsolute() ? python.getParent() : null;
    Path home = bin == null ? null : bin.getParent();
    if (home != null) {
      environment.putIfAbsent("VIRTUAL_ENV", home.toString());
    }
    return environment;
  }

  private Optional<CudaDriver> interpreter() {
    if (arguments.isRehearsal() || arguments.isSanitized()) {
      return Optional.empty();
    }
    var _ = FakeCuda.start(FakeCudaConfig.DEFAULT);
    return switch (CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()))) {
      case CudaSearch.Found(CudaDriver driver, _, _) -> Optional.of(driver);
      case CudaSearch.Absent(String reason, _) -> throw new IllegalStateException(reason);
    };
  }

  private int run(CheckedMachine machine) throws IOException, InterruptedException {
    String part = arguments.inProcess();
    if (part != null) {
      return inProcess(machine, part);
    }
    Files.createDirectories(arguments.folder());
    Verdict verdict =
        new Verdict(
            machine.device().physicalDescription(), machine.driverVersion(), arguments.build());
    verdict.addFrom(arguments.folder());
    List<CheckPart> alone = arguments.parts().stream().filter(CheckPart::runsAlone).toList();
    List<CheckPart> others =
        arguments.parts().stream().filter(each -> !alone.contains(each)).toList();
    runTogether(others, verdict);
    for (CheckPart each : alone) {
      put(each, inChild(each), verdict);
    }
    out.println(verdict.summary() + "; see " + arguments.folder().resolve("verdict.md"));
    return verdict.outcome() == Outcome.FAIL ? FAILED : 0;
  }

  /** Runs parts side by side, as many as there are processors for. */
  private void runTogether(List<CheckPart> parts, Verdict verdict)
      throws IOException, InterruptedException {
    int atOnce = Math.max(1, Runtime.getRuntime().availableProcessors() / PROCESSORS);
    try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
      List<Callable<Void>> runs = new ArrayList<>();
      for (CheckPart each : parts) {
        runs.add(() -> {
          put(each, inChild(each), verdict);
          return null;
        });
      }
      for (Future<Void> run : threads.invokeAll(runs)) {
        run.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a part was not run", e.getCause());
    }
  }

  private void put(CheckPart part, List<CheckPoint> points, Verdict verdict) throws IOException {
    synchronized (verdict) {
      verdict.put(part, points);
      verdict.write(arguments.folder());
    }
  }

  private int inProcess(CheckedMachine machine, String title) throws IOException {
    CheckPoints points = new CheckPoints(title, out);
    if (title.equals(WILD)) {
      MemoryPart.wild(machine, points);
    } else {
      CheckPart part = CheckPart.named(title).orElseThrow();
      part.run(machine, points);
    }
    @Nullable Path to = arguments.to();
    if (to != null) {
      Files.writeString(to, Verdict.json(points.all()).toString());
    }
    return points.all().stream().anyMatch(point -> point.outcome() == Outcome.FAIL) ? FAILED : 0;
  }

  /** Runs a part in a process of its own, which a fault on the device may end. */
  private List<CheckPoint> inChild(CheckPart part) throws IOException, InterruptedException {
    Path file = Files.createTempFile("headrace-gpu-" + part.title(), ".json");
    try {
      List<String> command = new ArrayList<>(arguments.forChild());
      command.addAll(List.of("--in-process", part.title(), "--to=" + file));
      int status = ChildProcess.run(ChildProcess.ofThisProgram(command), LIMIT, out);
      String text = Files.readString(file);
      if (!text.isEmpty()) {
        return Verdict.points(JsonParser.parseString(text).getAsJsonArray());
      }
      String end =
          status == ChildProcess.TIMED_OUT
              ? "it was not done in " + LIMIT.toMinutes() + " minutes"
              : "its process ended with status " + status;
      return List.of(new CheckPoint("the part ends", Outcome.FAIL, end));
    } finally {
      Files.delete(file);
    }
  }

  /** All parts, as arguments name them. */
  static List<CheckPart> allParts() {
    return Arrays.asList(CheckPart.values());
  }
}
