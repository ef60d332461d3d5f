package io.headrace.gpu.check;

import io.headrace.gpu.check.CheckPoint.Outcome;
import io.headrace.gpu.cuda.CublasSearch;
import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaDriverCheck;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.KernelChecks;
import io.headrace.gpu.kernels.KernelChecks.Family;
import io.headrace.gpu.ptx.ElementwiseCases;
import io.headrace.gpu.ptx.MathAccuracy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** The parts that make calls of the driver and run the cases of kernels. */
final class CaseParts {
  private static final String SAME = "the device is the interpreter";

  private CaseParts() {}

  static void devices(CheckedMachine machine, CheckPoints points) {
    points.add("the driver", Outcome.PASS, machine.driverVersion() + ", " + machine.library());
    for (CudaDevice device : CudaDevice.list(machine.driver())) {
      points.add(
          "device " + device.ordinal(),
          device.isSupported() ? Outcome.PASS : Outcome.FAIL,
          "%s, %d MiB, %d multiprocessors"
              .formatted(
                  device.physicalDescription(),
                  device.totalBytes() >> 20,
                  device.multiprocessors()));
    }
    points.check(
        "a context, and a tensor there and back",
        () -> {
          try (GpuDevice device = machine.open()) {
            return device.memoryLimit() / (1 << 20) + " MiB may be used";
          }
        });
  }

  static void binding(CheckedMachine machine, CheckPoints points, String binding) {
    switch (CudaDrivers.search(binding, List.of(machine.library()))) {
      case CudaSearch.Found(CudaDriver driver, _, _) ->
          CudaDriverCheck.points(driver, machine.scale().launches())
              .forEach((name, problem) ->
                  points.add(
                      name,
                      problem.startsWith(CudaDriverCheck.FAILED) ? Outcome.FAIL : Outcome.PASS,
                      problem));
      case CudaSearch.Absent(String reason, _) -> points.skip("the binding", reason);
    }
  }

  static void elementwise(CheckedMachine machine, CheckPoints points) {
    CheckScale scale = machine.scale();
    CudaDriver driver = current(machine.driver());
    points.compare(
        "beside the CPU",
        () -> ElementwiseCases.againstCpu(driver, scale.elements(), 1, scale.every()));
    machine
        .interpreter()
        .get()
        .ifPresentOrElse(
            interpreter ->
                points.compare(
                    "beside the interpreter, bit by bit",
                    () ->
                        ElementwiseCases.againstInterpreter(
                            driver, current(interpreter), scale.interpreted(), 1, scale.every())),
            () -> points.skip("beside the interpreter, bit by bit", SAME));
  }

  /** The driver with a context that is current on this thread, for the life of the process. */
  static CudaDriver current(CudaDriver driver) {
    driver.ctxSetCurrent(driver.devicePrimaryCtxRetain(driver.deviceGet(0)));
    return driver;
  }

  static void kernels(CheckedMachine machine, CheckPoints points) {
    int every = machine.scale().every();
    try (GpuDevice device = machine.open()) {
      for (Family family : Family.values()) {
        points.compare(
            text(family) + " beside the CPU", () -> KernelChecks.againstCpu(device, family, every));
      }
      productsByCublas(machine, points);
      points.compare("image batches beside the CPU", () -> KernelChecks.imageBatches(device));
      points.compare("fused movements beside the CPU", () -> KernelChecks.movements(device));
      machine
          .interpreter()
          .get()
          .ifPresentOrElse(
              interpreter -> interpreted(device, interpreter, points, every),
              () -> points.skip("beside the interpreter, bit by bit", SAME));
    }
  }

  private static void productsByCublas(CheckedMachine machine, CheckPoints points) {
    String name = "products by cuBLAS beside the CPU";
    switch (machine.cublas().search(machine.driver().driverGetVersion())) {
      case CublasSearch.Found _ -> {
        try (GpuDevice device = machine.openWithCublas()) {
          points.compare(
              name, () -> KernelChecks.productsByCublas(device, machine.scale().every()));
        }
      }
      case CublasSearch.Absent(String reason, _) -> points.skip(name, reason);
    }
  }

  private static void interpreted(
      GpuDevice device, CudaDriver driver, CheckPoints points, int every) {
    try (GpuDevice interpreter = CheckedMachine.open(driver)) {
      for (Family family : Family.values()) {
        points.compare(
            text(family) + " beside the interpreter, bit by bit",
            () -> KernelChecks.againstInterpreter(device, interpreter, family, every));
      }
    }
  }

  private static String text(Family family) {
    return family.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  static void recorded(CheckedMachine machine, CheckPoints points) {
    try (GpuDevice device = machine.open()) {
      points.compare(
          "beside recorded answers",
          () -> {
            try {
              return KernelChecks.recorded(device, machine.cases(), machine.scale().every());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  static void math(CheckedMachine machine, CheckPoints points) {
    CudaDriver driver = current(machine.driver());
    for (MathAccuracy measured :
        ElementwiseCases.functions(driver, machine.scale().arguments(), 1)) {
      points.add(
          measured.function(), measured.isWithin() ? Outcome.PASS : Outcome.FAIL, measured.text());
    }
  }
}
