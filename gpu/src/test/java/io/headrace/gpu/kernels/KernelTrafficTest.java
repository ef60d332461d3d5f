package io.headrace.gpu.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.machine.MemoryTraffic;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.kernels.ImageBatches.Cut;
import io.headrace.gpu.kernels.ImageBatches.Scaling;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The kernels of the figures move hardly more of global memory than they must: every byte once, in
 * whole sectors.
 */
@SuppressWarnings("SystemOut") // the build prints the summary
final class KernelTrafficTest {
  /** Of the sectors that the bytes of inputs and outputs take. */
  private static final double BOUND = 1.1;

  private static final Scaling SCALING =
      new Scaling(List.of(123.7f, 116.3f, 103.5f), List.of(0.017f, 0.0175f, 0.0174f));

  /**
   * Prints the use of memory of a launch, and holds it to the bound.
   *
   * @param least the sectors of inputs and outputs
   * @param rows those of the batch
   */
  private static void report(
      String name, MemoryTraffic traffic, long least, long steps, long rows) {
    System.out.printf(
        "summary: %s: %.3f of the least sectors move, %.3f are asked for; %d instructions a row%n",
        name, (double) traffic.moved() / least, (double) traffic.requested() / least, steps / rows);
    assertThat(traffic.moved()).isLessThanOrEqualTo((long) (BOUND * least));
  }

  private static long sectors(long bytes) {
    return (bytes + MemoryTraffic.SECTOR_BYTES - 1) / MemoryTraffic.SECTOR_BYTES;
  }

  private static Tensor images(Shape shape) {
    return new TestValues(1).tensor(DataType.UINT8, shape);
  }

  @Test
  void normalizedPlanes_moveEachByteOnce() {
    Shape shape = Shape.of(2, 32, 32, 3);
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      Tensor images = WrittenCaseRunner.onDevice(lab.device(), images(shape));
      lab.check();
      MemoryTraffic traffic = lab.fake().countTraffic();

      var _ =
          new ImageBatches(lab.device().context(), HostWait.uncancelled())
              .toPlanes(images, SCALING);

      lab.check();
      long n = shape.elements();
      report("normalize and layout change", traffic, sectors(5 * n), lab.fake().steps(), 2);
      assertThat(traffic.requested()).isEqualTo(traffic.moved());
    }
  }

  @Test
  void planesOfAMapFunction_moveHardlyMoreThanTheirBytes() {
    MovementCases.Case planes = MovementCases.planes(Shape.of(32, 32, 3));
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      MemoryTraffic traffic = lab.fake().countTraffic();

      planes.runRows(lab.device(), 2);

      lab.check();
      long n = 2L * planes.input().elements();
      report("the same of a map function", traffic, sectors(5 * n), lab.fake().steps(), 2);
    }
  }

  @Test
  void bytesOfPlanes_moveHardlyMoreThanTheirBytes() {
    MovementCases.Case bytes = MovementCases.bytesOfPlanes(Shape.of(3, 32, 32));
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      MemoryTraffic traffic = lab.fake().countTraffic();

      bytes.runRows(lab.device(), 2);

      lab.check();
      long n = 2L * bytes.input().elements();
      report("planes to bytes of a map function", traffic, sectors(5 * n), lab.fake().steps(), 2);
    }
  }

  @Test
  void transposedMatrices_areReadAndWrittenSideBySide() {
    MovementCases.Case transposed = MovementCases.transposed(Shape.of(64, 96));
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      MemoryTraffic traffic = lab.fake().countTraffic();

      transposed.runRows(lab.device(), 2);

      lab.check();
      long n = 2L * transposed.input().elements();
      report("transposed and scaled", traffic, sectors(8 * n), lab.fake().steps(), 2);
      assertThat(traffic.requested()).isEqualTo(traffic.moved());
    }
  }

  @Test
  void chainOfTen_movesEachByteOnce() {
    Expression x = new Expression.Input(0, DataType.FLOAT32);
    Expression y = x.mul(x.same(1.1)).add(x.same(0.5)).sub(x.same(2)).mul(x.same(3)).neg();
    y = y.max(x.same(0)).add(x.same(1)).min(x.same(9)).mul(x.same(0.5)).sub(x.same(1));
    LoopProgram program = LoopProgram.of(y, List.of(DataType.FLOAT32));
    Shape shape = Shape.of(8, 512);
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      Tensor floats =
          WrittenCaseRunner.onDevice(
              lab.device(), new TestValues(1).numbers(DataType.FLOAT32, shape, -9, 9));
      lab.check();
      MemoryTraffic traffic = lab.fake().countTraffic();
      Kernel.Sync none = _ -> assertThat(true).as("left to the CPU").isFalse();
      TestCall call = TestCall.of(List.of(floats));

      new GpuKernels(lab.device()).fused("chain", program, none).compute(call);

      lab.check();
      report("chain of ten", traffic, sectors(8L * shape.elements()), lab.fake().steps(), 8);
      assertThat(traffic.requested()).isEqualTo(traffic.moved());
    }
  }

  @Test
  void preparedImages_moveHardlyMoreThanTheirBytes() {
    int edge = 64;
    List<Cut> cuts = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Tensor image = images(Shape.of(72 + 4 * i, 80, 3));
      cuts.add(new Cut(image, 4, 8, edge + 2, edge + 4 * i, i == 1));
    }
    try (GpuLab lab = GpuLab.open("ffm", 1)) {
      MemoryTraffic traffic = lab.fake().countTraffic();

      var _ =
          new ImageBatches(lab.device().context(), HostWait.uncancelled())
              .prepare(cuts, edge, edge, SCALING, true);

      lab.check();
      long read = cuts.stream().mapToLong(cut -> sectors(3L * cut.height() * cut.width())).sum();
      long written = sectors(4L * 3 * cuts.size() * edge * edge);
      report(
          "resize, crop, flip, normalize",
          traffic,
          read + written,
          lab.fake().steps(),
          cuts.size());
    }
  }
}
