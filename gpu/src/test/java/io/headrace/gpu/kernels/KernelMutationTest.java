package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.MovementCases.Case;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.tensor.DataType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The cases notice each barrier, guard and atomic of the kernels, written and generated. The build
 * tries some of them, and all with the system property {@code mutants=all}.
 */
@Timeout(1800)
final class KernelMutationTest {
  private static final int EVERY = "all".equals(System.getProperty("mutants")) ? 1 : 48;

  /** Cases of low tiles, of tall ones, and of such with operands in both orders. */
  private static final Set<String> TILED = Set.of("planes", "many matrices", "both orders");

  private static List<WrittenCase> cases(
      Function<DataType, List<WrittenCase>> of, DataType... dtypes) {
    List<WrittenCase> cases = new ArrayList<>();
    for (DataType dtype : dtypes) {
      cases.addAll(of.apply(dtype));
    }
    return cases;
  }

  private static void assertAllKilled(
      PtxResource module,
      Set<String> kernels,
      List<WrittenCase> cases,
      BiPredicate<WrittenCase, String> uses) {
    assertAllKilled(new Mutants(module, kernels::contains), module, cases, uses);
  }

  private static void assertAllKilled(
      Mutants mutants,
      PtxResource module,
      List<WrittenCase> cases,
      BiPredicate<WrittenCase, String> uses) {
    mutants
        .every(EVERY)
        .run(kernel -> cases.stream().filter(one -> uses.test(one, kernel)).toList());

    assertAllKilled(mutants, module.toString());
  }

  private static void assertAllKilled(Mutants mutants, String module) {
    mutants.print(module);
    assertThat(mutants.survivors()).isEmpty();
    assertThat(mutants.total()).isPositive();
  }

  private static boolean isOf(WrittenCase one, String... ops) {
    return Stream.of(ops).anyMatch(op -> one.node().op().name().equals(op));
  }

  @Test
  void mutantsOfMoves_areKilled() {
    assertAllKilled(
        new Mutants(PtxResource.MOVES, name -> name.endsWith("8")),
        PtxResource.MOVES,
        MoveCases.of(DataType.INT64),
        (one, kernel) -> {
          String op = one.node().op().name();
          return switch (kernel) {
            case "gather8" -> op.startsWith("Gather");
            case "oneHot8" -> op.equals("OneHot");
            case "transpose8" -> op.equals("Transpose");
            default -> !op.startsWith("Gather") && !op.equals("OneHot");
          };
        });
  }

  @Test
  void mutantsOfReductions_areKilled() {
    assertAllKilled(
        PtxResource.REDUCTIONS,
        Set.of("sumOfFloats", "largestOfIntegers", "largestOfFloats", "argMaxOfFloats"),
        cases(
            ReductionCases::of,
            DataType.FLOAT32,
            DataType.FLOAT64,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.INT32,
            DataType.INT64,
            DataType.INT16,
            DataType.INT8,
            DataType.UINT8,
            DataType.UINT16,
            DataType.UINT32,
            DataType.UINT64),
        (one, kernel) ->
            one.inputs().getFirst().dtype().isFloating() == kernel.endsWith("Floats")
                && switch (kernel) {
                  case "argMaxOfFloats" -> isOf(one, "ArgMax");
                  case "largestOfFloats", "largestOfIntegers" -> isOf(one, "Max");
                  default -> isOf(one, "Sum", "Mean");
                });
  }

  @Test
  void mutantsOfSoftmax_areKilled() {
    assertAllKilled(
        PtxResource.SOFTMAX,
        Set.of("softmax", "logSoftmax", "crossEntropy", "sparseCrossEntropy"),
        cases(
            SoftmaxCases::of,
            DataType.FLOAT32,
            DataType.FLOAT64,
            DataType.FLOAT16,
            DataType.BFLOAT16),
        (one, kernel) ->
            switch (kernel) {
              case "softmax" -> isOf(one, "Softmax");
              case "logSoftmax" -> isOf(one, "LogSoftmax");
              case "crossEntropy" -> isOf(one, "SoftmaxCrossEntropyWithLogits");
              default -> isOf(one, "SparseSoftmaxCrossEntropyWithLogits");
            });
  }

  /** Of small tiles; the kernels of large ones have the same lines, unrolled. */
  @Test
  void mutantsOfProducts_areKilled() {
    assertAllKilled(
        PtxResource.MATMUL,
        Set.of("smallProductsOfFloats"),
        cases(MatMulCases::of, DataType.FLOAT32, DataType.FLOAT16, DataType.BFLOAT16),
        (_, _) -> true);
  }

  @Test
  void mutantsOfResizing_areKilled() {
    assertAllKilled(
        PtxResource.RESIZE,
        Set.of("resizeBilinear", "resizeNearest4", "cropAndResize", "resample"),
        cases(
            ResizeCases::of,
            DataType.FLOAT32,
            DataType.INT32,
            DataType.FLOAT64,
            DataType.UINT8,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.INT8,
            DataType.INT16,
            DataType.UINT16,
            DataType.INT64),
        (one, kernel) ->
            switch (kernel) {
              case "resizeBilinear" -> isOf(one, "ResizeBilinear");
              case "resizeNearest4" ->
                  isOf(one, "ResizeNearestNeighbor")
                      && one.inputs().getFirst().dtype().byteSize() == 4;
              case "cropAndResize" -> isOf(one, "CropAndResize");
              default -> isOf(one, "ScaleAndTranslate");
            });
  }

  @Test
  void mutantsOfImageBatches_areKilled() {
    Mutants mutants = new Mutants(PtxResource.IMAGES, _ -> true).every(EVERY);

    mutants.runWith(ImageBatchCases.all());

    assertAllKilled(mutants, PtxResource.IMAGES.toString());
  }

  @Test
  void mutantsOfRandomNumbers_areKilled() {
    assertAllKilled(
        PtxResource.RANDOM,
        Set.of("uniform", "uniformIntegers", "randomBits", "normal", "truncatedNormal"),
        cases(
            RandomCases::of,
            DataType.FLOAT32,
            DataType.FLOAT64,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.INT32,
            DataType.INT64,
            DataType.UINT32),
        (one, kernel) ->
            switch (kernel) {
              case "uniform" ->
                  isOf(one, "RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2");
              case "uniformIntegers" ->
                  isOf(
                      one,
                      "RandomUniformInt",
                      "StatelessRandomUniformInt",
                      "StatelessRandomUniformIntV2");
              case "randomBits" ->
                  isOf(one, "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2");
              case "truncatedNormal" -> one.node().op().name().contains("Truncated");
              default ->
                  isOf(
                      one,
                      "RandomStandardNormal",
                      "StatelessRandomNormal",
                      "StatelessRandomNormalV2");
            });
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
      Mutants mutants = new Mutants(kernel).every(Math.min(EVERY, 8));

      mutants.runWith(
          cases.stream()
              .<Predicate<GpuDevice>>map(one -> device -> one.difference(device).isEmpty())
              .toList());

      assertAllKilled(mutants, "a tiled kernel");
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
