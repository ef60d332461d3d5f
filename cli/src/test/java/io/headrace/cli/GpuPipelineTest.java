package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.Placement;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerHost;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Map functions of which a worker runs a part on a GPU, which the fake driver stands for. */
@Timeout(120)
@ResourceLock("FakeCuda")
final class GpuPipelineTest {
  private static final String GPU = "/gpu:0";
  private static final String LAUNCH = "cuLaunchKernel";

  private final FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT.withMemoryBytes(2 << 20));
  private final List<Accelerator> gpus =
      GpuAccelerators.open(
          CudaDrivers.search("ffm", List.of(FakeCuda.library().toString())),
          ConfigProto.newBuilder()
              .setGpuOptions(GPUOptions.newBuilder().setAllowGrowth(true))
              .build(),
          Map.of(),
          List.of(),
          CublasLibraries.NONE);
  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerServer worker =
      new WorkerServer(
          WorkerConfig.forDispatcher(dispatcher.address()),
          WorkerHost.ofProcess().withAccelerators(gpus));

  GpuPipelineTest() {
    worker.start();
  }

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
    try {
      gpus.forEach(Accelerator::close);
    } finally {
      assertThat(fake.faults()).isEmpty(); // a fault fails the calls that come after it
      fake.close();
    }
  }

  private Dataset distributed(Dataset dataset) {
    return dataset.apply(
        DataService.distribute(ProcessingMode.PARALLEL_EPOCHS, dispatcher.target()));
  }

  /** {@code of} as a function that runs on the GPU. */
  private static UnaryOperator<Output> pinned(UnaryOperator<Output> of) {
    return x -> {
      try (var _ = Ops.device(GPU)) {
        return of.apply(x);
      }
    };
  }

  private static List<String> texts(Dataset dataset) {
    List<String> texts = new ArrayList<>();
    for (Element element : dataset) {
      texts.add(element.components().toString());
    }
    return texts;
  }

  @Test
  void rows_haveTheBitsOfTheCpu_andOneKernelForAllOps() {
    UnaryOperator<Output> normalize =
        x -> x.cast(DataType.UINT8).cast(DataType.FLOAT32).sub(127.5f).mul(1 / 127.5f).abs();
    Dataset source = Dataset.range(1_000);

    List<String> onGpu = texts(distributed(source.map(pinned(normalize)::apply)));

    assertThat(onGpu).hasSize(1_000).isEqualTo(texts(source.map(normalize::apply)));
    // One for all five ops; how many rows it has depends on how long they take.
    assertThat(fake.calls(LAUNCH)).isBetween(1, 1_000);
  }

  @Test
  void castNormalizeAndLayoutChange_areOneLaunch() {
    UnaryOperator<Output> planes =
        x ->
            x.cast(DataType.UINT8)
                .reshape(6, 6, 3)
                .reverse(2)
                .cast(DataType.FLOAT32)
                .sub(Ops.constant(Tensor.vector(123.7f, 116.3f, 103.5f)))
                .mul(Ops.constant(Tensor.vector(0.0171f, 0.0175f, 0.0174f)))
                .transpose(2, 0, 1);
    Dataset images = Dataset.range(10 * 6 * 6 * 3).batch(6 * 6 * 3);

    assertThat(texts(distributed(images.map(pinned(planes)::apply))))
        .isEqualTo(texts(images.map(planes::apply)));
    assertThat(fake.calls(LAUNCH)).isBetween(1, 10);
  }

  @Test
  void batches_areComputedAsOne() {
    UnaryOperator<Output> scale = x -> x.cast(DataType.FLOAT32).mul(0.25f).add(1f);
    Dataset batches = Dataset.range(1_000).batch(100);

    assertThat(texts(distributed(batches.map(pinned(scale)::apply))))
        .isEqualTo(texts(batches.map(scale::apply)));
    assertThat(fake.calls(LAUNCH)).isBetween(1, 10);
  }

  @Test
  void resultsGoOn_toOtherStages() {
    Dataset dataset =
        Dataset.range(100)
            .map(pinned(x -> x.mul(x))::apply)
            .filter(x -> x.less(2_500L))
            .batch(8)
            .map(x -> x.add(1L));

    assertThat(texts(distributed(dataset)))
        .isEqualTo(
            texts(
                Dataset.range(100)
                    .map(x -> x.mul(x))
                    .filter(x -> x.less(2_500L))
                    .batch(8)
                    .map(x -> x.add(1L))));
    assertThat(fake.calls(LAUNCH)).isPositive();
  }

  @Test
  void resultsThatAStageKeeps_takeNoMemoryOfTheGpu() {
    Dataset large =
        Dataset.range(40) // of 64 KiB each, of 2 MiB
            .map(x -> {
              Output filled =
                  GraphBuilder.current()
                      .op("Fill")
                      .input(Tensor.vector(1 << 14))
                      .input(x.cast(DataType.FLOAT32))
                      .attr("T", DataType.FLOAT32)
                      .build();
              return pinned(y -> y.add(1f)).apply(filled);
            })
            .cache();
    float sum = 0;
    for (Element element : distributed(large)) {
      sum += element.components().getFirst().floats()[7];
    }
    assertThat(sum).isEqualTo(820f);
  }

  @Test
  void largeResults_areSentFromWhereTheGpuHasCopiedThem() {
    UnaryOperator<Output> scale = x -> x.cast(DataType.FLOAT32).mul(0.25f).add(1f);
    Dataset batches = Dataset.range(140_000).batch(70_000);

    float[] sums = new float[2];
    int at = 0;
    for (Element element : distributed(batches.map(pinned(scale)::apply))) {
      float[] values = element.components().getFirst().floats();
      assertThat(values).hasSize(70_000);
      for (int i = 0; i < values.length; i++) {
        assertThat(values[i]).isEqualTo((at * 70_000 + i) * 0.25f + 1f);
      }
      sums[at++] = values[0];
    }
    assertThat(sums).containsExactly(1f, 17_501f);
    assertThat(fake.calls("cuMemHostRegister")).isBetween(1, 2);
  }

  @Test
  void placement_runsTheFunctionOnTheGpu() {
    UnaryOperator<Output> scale = x -> x.cast(DataType.FLOAT32).mul(0.25f).add(1f);
    Dataset batches = Dataset.range(100).batch(50);

    assertThat(texts(distributed(batches.map(scale::apply, Placement.device(GPU).strict()))))
        .isEqualTo(texts(batches.map(scale::apply)));
    assertThat(fake.calls(LAUNCH)).isBetween(1, 2);
  }

  @Test
  void opsWithoutAKernel_runOnTheCpuBeside() {
    UnaryOperator<Output> text =
        x ->
            GraphBuilder.current()
                .op("AsString")
                .input(x.mul(3L))
                .attr("T", DataType.INT64)
                .build();

    assertThat(texts(distributed(Dataset.range(50).map(pinned(text)::apply))))
        .isEqualTo(texts(Dataset.range(50).map(text::apply)));
    assertThat(fake.calls(LAUNCH)).isPositive();
  }

  @Test
  void errorOfARow_isItsOwn() {
    UnaryOperator<Output> divide =
        x -> GraphBuilder.current().op("Div").input(x).input(x.sub(20L)).build();
    List<Long> read = new ArrayList<>();

    assertThatThrownBy(
            () -> {
              for (Element element : distributed(Dataset.range(40).map(pinned(divide)::apply))) {
                read.add(element.components().getFirst().integer(0));
              }
            })
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("division by zero");
    assertThat(read).hasSize(20).startsWith(0L, 0L).endsWith(-9L, -19L);
  }

  @Test
  void missingGpu_isRefusedBeforeTheFirstElement() {
    Dataset dataset =
        Dataset.range(10)
            .map(x -> {
              try (var _ = Ops.device("/gpu:3")) {
                return x.add(1L);
              }
            });

    assertThatThrownBy(() -> texts(distributed(dataset)))
        .satisfies(
            e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("pinned to")
        .hasMessageContaining("offers 1 devices of the type GPU");
  }
}
