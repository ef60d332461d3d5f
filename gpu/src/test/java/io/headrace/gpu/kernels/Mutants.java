package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.status.StatusException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * Takes each barrier, guarded branch and atomic of kernels away in turn, and looks whether cases
 * notice. Each is run with the grid that the launch asks for, as one block, and with a block too
 * many.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class Mutants {
  private final String module;
  private final String[] lines;
  private final List<String> survivors = new ArrayList<>();
  private int total;

  /** Mutants of the kernels of a module whose names pass {@code included}. */
  Mutants(PtxResource resource, Predicate<String> included) {
    module = resource.text();
    lines = only(included).toArray(String[]::new);
  }

  /** The lines of the module without the kernels that are not included, so that it loads fast. */
  private List<String> only(Predicate<String> included) {
    List<String> kept = new ArrayList<>();
    boolean isKept = true;
    for (String line : module.lines().toList()) {
      if (line.startsWith(".visible .entry")) {
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

  /**
   * Runs all mutants.
   *
   * @param casesOf the cases that use a kernel
   */
  void run(Function<String, List<WrittenCase>> casesOf) {
    String kernel = "";
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i];
      if (line.startsWith(".visible .entry")) {
        kernel = kernel(line);
      }
      String mutated = mutated(line);
      if (!mutated.equals(line)) {
        total++;
        lines[i] = mutated;
        if (survives(casesOf.apply(kernel))) {
          survivors.add("%s, line %d: %s".formatted(kernel, i + 1, line.strip()));
        }
        lines[i] = line;
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

  private boolean survives(List<WrittenCase> cases) {
    String mutant = String.join("\n", lines);
    return cases.stream()
        .allMatch(one ->
            survives(one, mutant, blocks -> blocks)
                && survives(one, mutant, _ -> 1)
                && survives(one, mutant, blocks -> blocks + 1));
  }

  /** Runs a case on a device of its own, whose memory is undefined beyond what the case wrote. */
  private boolean survives(WrittenCase one, String mutant, IntUnaryOperator blocks) {
    try (GpuLab lab = GpuLab.open("ffm", total, driver -> mutating(driver, mutant, blocks))) {
      WrittenCaseRunner runner = new WrittenCaseRunner(lab);
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
        "summary: mutants of %s killed: %d/%d%n", name, total - survivors.size(), total);
  }
}
