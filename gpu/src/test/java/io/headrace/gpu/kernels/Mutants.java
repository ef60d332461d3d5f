package io.headrace.gpu.kernels;

import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * Takes each barrier, guarded branch and atomic of kernels away in turn, and looks whether cases
 * notice. Each is run with the grid that the launch asks for, as one block, and with a block too
 * many. Functions that kernels call are left as they are.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class Mutants {
  /** Several times the instructions of a case; a mutant that loops ends there. */
  private static final long MAX_STEPS = 8_000_000;

  private static final Comparator<WrittenCase> BY_SIZE = Comparator.comparingInt(Mutants::elements);

  private final String module;
  private final String[] lines;
  private final List<String> survivors = new ArrayList<>();
  private int every = 1;
  private int found;
  private int total;

  /** Mutants of a module with its kernels whose names pass {@code included}. */
  Mutants(PtxResource resource, Predicate<String> included) {
    this(resource.text(), included);
  }

  /** Mutants of a module that was generated. */
  Mutants(String module) {
    this(module, _ -> true);
  }

  private Mutants(String module, Predicate<String> included) {
    this.module = module;
    this.lines = only(included).toArray(String[]::new);
  }

  /** The same, but of {@code n} mutants one. */
  Mutants every(int n) {
    every = n;
    return this;
  }

  /** The lines of the module without the kernels that are not included, so that it loads fast. */
  private List<String> only(Predicate<String> included) {
    List<String> kept = new ArrayList<>();
    boolean isKept = true;
    for (String line : module.lines().toList()) {
      if (isEntry(line)) {
        isKept = included.test(kernel(line));
      }
      if (isKept) {
        kept.add(line);
      }
      if (line.equals("}")) {
        isKept = true;
      }
    }
    return kept;
  }

  private static String kernel(String line) {
    return line.replaceAll(".*entry |\\(", "");
  }

  private static boolean isEntry(String line) {
    return line.startsWith(".visible .entry");
  }

  /**
   * Runs all mutants.
   *
   * @param casesOf the cases that use a kernel
   */
  void run(Function<String, List<WrittenCase>> casesOf) {
    runEach((kernel, mutant) -> survives(casesOf.apply(kernel), mutant));
  }

  /**
   * Runs all mutants.
   *
   * @param cases each tells whether a device gives the CPU's results, on a device of its own
   */
  void runWith(List<Predicate<GpuDevice>> cases) {
    runEach((_, mutant) ->
        cases.stream()
            .allMatch(one ->
                isRight(one, mutant, blocks -> blocks)
                    && isRight(one, mutant, _ -> 1)
                    && isRight(one, mutant, blocks -> blocks + 1)));
  }

  private boolean isRight(Predicate<GpuDevice> isRight, String mutant, IntUnaryOperator blocks) {
    FakeCudaConfig config = FakeCudaConfig.DEFAULT.withSeed(total).withMaxSteps(MAX_STEPS);
    try (GpuLab lab = GpuLab.open("ffm", config, driver -> mutating(driver, mutant, blocks))) {
      return isRight.test(lab.device()) && lab.fake().faults().isEmpty();
    } catch (StatusException _) {
      return false; // the device was lost
    }
  }

  /** Hands all mutants over, with their kernel, to {@code survives}. */
  private void runEach(BiPredicate<String, String> survives) {
    String kernel = "";
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i];
      if (isEntry(line)) {
        kernel = kernel(line);
      }
      String mutated = mutated(line);
      if (!kernel.isEmpty() && !mutated.equals(line) && found++ % every == 0) {
        total++;
        lines[i] = mutated;
        if (survives.test(kernel, String.join("\n", lines))) {
          survivors.add("%s, line %d: %s".formatted(kernel, i + 1, line.strip()));
        }
        lines[i] = line;
      }
      if (line.equals("}")) {
        kernel = "";
      }
    }
  }

  /** A line without its barrier or its guarded branch, or with a plain store for an atomic. */
  private static String mutated(String line) {
    return line.replaceFirst("bar\\.sync\\s+0;", "")
        .replaceFirst("@!?%p\\d+ bra\\s+\\S+;", "")
        .replaceFirst(
            "atom\\.global\\.min\\.u64\\s+%rd\\d+, \\[(%rd\\d+)\\], (%rd\\d+);",
            "st.global.u64 [$1], $2;");
  }

  private boolean survives(List<WrittenCase> cases, String mutant) {
    return fromBothEnds(cases).stream()
        .allMatch(one ->
            survives(one, mutant, blocks -> blocks)
                && survives(one, mutant, _ -> 1)
                && survives(one, mutant, blocks -> blocks + 1));
  }

  /** The smallest case, the largest, the next smallest: most mutants do not survive the first. */
  private static List<WrittenCase> fromBothEnds(List<WrittenCase> cases) {
    Deque<WrittenCase> left = new ArrayDeque<>(cases.stream().sorted(BY_SIZE).toList());
    List<WrittenCase> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      ordered.add(ordered.size() % 2 == 0 ? left.removeFirst() : left.removeLast());
    }
    return ordered;
  }

  private static int elements(WrittenCase one) {
    return one.inputs().stream().mapToInt(Tensor::elements).sum();
  }

  /** Runs a case on a device of its own, whose memory is undefined beyond what the case wrote. */
  private boolean survives(WrittenCase one, String mutant, IntUnaryOperator blocks) {
    FakeCudaConfig config = FakeCudaConfig.DEFAULT.withSeed(total).withMaxSteps(MAX_STEPS);
    try (GpuLab lab = GpuLab.open("ffm", config, driver -> mutating(driver, mutant, blocks))) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab.device());
      return runner.difference(one, true).isEmpty()
          && runner.rowsDifference(one, true, 0).isEmpty()
          && lab.fake().faults().isEmpty();
    } catch (StatusException _) {
      return false; // the device was lost
    }
  }

  private CudaDriver mutating(CudaDriver driver, String mutant, IntUnaryOperator blocks) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("moduleLoadData") && module.equals(arguments[0])) {
                arguments[0] = mutant;
              } else if (method.getName().equals("launchKernel")) {
                arguments[1] = blocks.applyAsInt((int) arguments[1]);
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  List<String> survivors() {
    return survivors;
  }

  int total() {
    return total;
  }

  /** Prints how many were killed. */
  void print(String name) {
    System.out.printf(
        "summary: mutants of %s killed: %d/%d of %d%n",
        name, total - survivors.size(), total, found);
  }
}
