package io.headrace.gpu.check;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The parts of the check. Each runs in a process of its own, and in ten minutes. */
@SuppressWarnings("ImmutableEnumChecker") // the work has no state
enum CheckPart {
  DEVICES("the driver and the devices", CaseParts::devices),
  FFM("every call of the driver, by foreign functions", (m, p) -> CaseParts.binding(m, p, "ffm")),
  JCUDA("every call of the driver, by JCuda", (m, p) -> CaseParts.binding(m, p, "jcuda")),
  ELEMENTWISE("generated kernels, beside the CPU and the interpreter", CaseParts::elementwise),
  KERNELS("written kernels, beside the CPU and the interpreter", CaseParts::kernels),
  RECORDED("written kernels, beside the answers of TensorFlow", CaseParts::recorded),
  MATH("math functions: the greatest differences from the CPU's", CaseParts::math),
  SESSIONS("graphs on a server", SystemParts::sessions),
  PIPELINES("map functions on a worker", SystemParts::pipelines),
  MEMORY("memory that runs out, a kernel that fails, and what comes after", MemoryPart::run),
  SOAK("all kernels from several threads, for five minutes", SoakPart::run),
  SANITIZER("NVIDIA's compute-sanitizer over kernels", SanitizerPart::run),
  FIGURES("how fast it is, beside what else is installed", FiguresPart::run);

  private final String description;
  private final BiConsumer<CheckedMachine, CheckPoints> work;

  CheckPart(String description, BiConsumer<CheckedMachine, CheckPoints> work) {
    this.description = description;
    this.work = work;
  }

  /** Says what it checks. */
  String description() {
    return description;
  }

  /** Whether no other part may run meanwhile: it takes all memory, or times work. */
  boolean runsAlone() {
    return this == MEMORY || this == FIGURES;
  }

  /** Its name on the command line. */
  String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<CheckPart> named(String title) {
    return Arrays.stream(values()).filter(part -> part.title().equals(title)).findFirst();
  }

  /** Runs it in this process; its failure is a point, too. */
  void run(CheckedMachine machine, CheckPoints points) {
    try {
      work.accept(machine, points);
    } catch (RuntimeException | AssertionError | LinkageError e) {
      points.add("the part ends", CheckPoint.Outcome.FAIL, e.toString());
    }
  }
}
