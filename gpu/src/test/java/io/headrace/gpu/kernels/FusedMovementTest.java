package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.MovementCases.Case;
import io.headrace.gpu.ptx.CaseReport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
final class FusedMovementTest {
  private static final String LAUNCH = "cuLaunchKernel";

  /** Cases of low tiles, of tall ones, and of such with operands in both orders. */
  private static final Set<String> TILED = Set.of("planes", "many matrices", "both orders");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void functions_haveTheBitsOfTheCpu(long seed) {
    try (GpuLab lab = GpuLab.open("ffm", seed)) {
      CaseReport report = MovementCases.againstCpu(lab.device());

      assertThat(report.differences()).isEmpty();
      assertThat(report.cases()).isGreaterThan(25);
      lab.check();
    }
  }

  @Test
  void functions_areOneLaunchWhereStridesAllowIt() {
    for (Case one : MovementCases.all()) {
      try (GpuLab lab = GpuLab.open("ffm", 1)) {
        one.run(lab.device());

        assertThat(lab.fake().calls(LAUNCH)).as(one.name()).isEqualTo(one.launches());
      }
    }
  }

  @Test
  void mutantsOfTiledKernels_areKilled() {
    List<Case> cases =
        MovementCases.all().stream().filter(one -> TILED.contains(one.name())).toList();
    Set<String> kernels = new LinkedHashSet<>();
    try (GpuLab lab = GpuLab.open("ffm", 1, driver -> recording(driver, kernels))) {
      cases.forEach(one -> one.run(lab.device()));
    }
    kernels.removeIf(text -> !text.contains("across"));
    assertThat(kernels).hasSizeGreaterThan(2);
    for (String kernel : kernels) {
      Mutants mutants = new Mutants(kernel);

      mutants.runWith(
          cases.stream()
              .<Predicate<GpuDevice>>map(one -> device -> one.difference(device).isEmpty())
              .toList());

      mutants.print("a tiled kernel");
      assertThat(mutants.survivors()).isEmpty();
      assertThat(mutants.total()).isPositive();
    }
  }

  private static CudaDriver recording(CudaDriver driver, Set<String> modules) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("moduleLoadData")) {
                modules.add((String) arguments[0]);
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
