package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.Session;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes with written kernels, pinned to a GPU of a session, which the fake driver stands for. */
@Timeout(120)
@ResourceLock("FakeCuda")
final class GpuWrittenSessionTest {
  private static final String GPU = "/device:GPU:0";

  /** Little, since a server takes all of it, and the fake driver keeps notes of each byte. */
  private static final int MEMORY_BYTES = 4 << 20;

  private final FakeCuda fake =
      FakeCuda.start(FakeCudaConfig.DEFAULT.withMemoryBytes(MEMORY_BYTES));
  private final Graph g = new Graph();

  @AfterEach
  void stop() {
    fake.close();
  }

  static Stream<String> bindings() {
    return System.getProperty("os.arch").equals("amd64")
        ? Stream.of("ffm", "jcuda")
        : Stream.of("ffm");
  }

  /** A server that leaves the driver memory, which the tables of modules need. */
  private static Server start(String binding) {
    return start(binding, CublasLibraries.NONE);
  }

  private static Server start(String binding, CublasLibraries cublas) {
    Map<String, String> environment = Map.of("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "1");
    CudaSearch search = CudaDrivers.search(binding, List.of(FakeCuda.library().toString()));
    Server started =
        new Server(
            ServerDefs.local(ConfigProto.getDefaultInstance()),
            ServerHost.ofProcess()
                .withAccelerators(
                    c -> GpuAccelerators.open(search, c, environment, List.of(), cublas)));
    started.start();
    return started;
  }

  private Output op(String name, Output x, Tensor... parameters) {
    var node = g.op(name).input(x);
    for (Tensor parameter : parameters) {
      node.input(g.constant(parameter));
    }
    return node.build();
  }

  /**
   * A batch of images, of bytes: to floats, padded, a part cut out, flipped, and channels first.
   */
  private Output prepared(Output images) {
    Output floats = images.cast(DataType.FLOAT32);
    Tensor margins = Tensor.of(DataType.INT32, Shape.of(4, 2), new int[] {0, 0, 1, 1, 2, 0, 0, 0});
    Output padded = op("Pad", floats, margins);
    Output cut = op("Slice", padded, Tensor.vector(0, 1, 0, 0), Tensor.vector(2, 4, -1, 3));
    Output flipped = op("ReverseV2", cut, Tensor.vector(2));
    return op("Transpose", flipped, Tensor.vector(0, 3, 1, 2)).mul(0.5f);
  }

  @ParameterizedTest
  @MethodSource("bindings")
  void images_arePreparedWithoutTheHost(String binding) {
    Output images = g.placeholder(DataType.UINT8, Shape.UNKNOWN);
    Output onCpu = prepared(images);
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = prepared(images);
    }
    byte[] bytes = new byte[2 * 5 * 6 * 3];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (7 * i);
    }
    Tensor input = Tensor.of(DataType.UINT8, Shape.of(2, 5, 6, 3), bytes);
    try (Server server = start(binding);
        Session session = Session.open(server.target(), g)) {
      Tensor expected = session.runner().feed(images, input).fetch(onCpu).run().getFirst();
      int copied = fake.calls("cuMemcpyDtoHAsync");

      Tensor actual = session.runner().feed(images, input).fetch(onGpu).run().getFirst();

      assertThat(actual.shape()).isEqualTo(expected.shape()).isEqualTo(Shape.of(2, 3, 4, 8));
      assertThat(actual.floats()).containsExactly(expected.floats());
      // To floats; padded, but for the zeros; and one for what is behind.
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(3);
      assertThat(fake.calls("cuMemcpyDtoHAsync") - copied).isEqualTo(1); // the fetch
      assertThat(fake.faults()).isEmpty();
    }
  }

  @Test
  void largeProduct_isMadeByCublas_whereItIsFound() {
    Output x = g.placeholder(DataType.FLOAT32, Shape.UNKNOWN);
    Output onCpu = g.op("MatMul").input(x).input(x).build();
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = g.op("MatMul").input(x).input(x).build();
    }
    float[] whole = new float[64 * 64]; // numbers whose sums are exact
    for (int i = 0; i < whole.length; i++) {
      whole[i] = i * 7 % 13 - 6;
    }
    Tensor input = Tensor.of(DataType.FLOAT32, Shape.of(64, 64), whole);
    CublasLibraries cublas = new CublasLibraries(List.of(FakeCuda.library().toString()));
    try (Server server = start("ffm", cublas);
        Session session = Session.open(server.target(), g)) {
      List<Tensor> products = session.runner().feed(x, input).fetch(onCpu).fetch(onGpu).run();

      assertThat(products.get(1).floats()).containsExactly(products.get(0).floats());
      // By four others the library is tried before it is used.
      assertThat(fake.calls("cublasGemmStridedBatchedEx")).isEqualTo(4 + 1);
      assertThat(fake.faults()).isEmpty();
    }
    assertThat(fake.calls("cublasDestroy")).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("bindings")
  void indexOutOfRange_isTheErrorOfTheCpu(String binding) {
    Output table = g.placeholder(DataType.FLOAT32, Shape.UNKNOWN);
    Output index = g.placeholder(DataType.INT32, Shape.UNKNOWN);
    Output rows;
    try (var _ = g.device(GPU)) {
      // Computed there, so that only the device sees them.
      Output indices = index.add(1);
      rows =
          g.op("GatherV2").input(table).input(indices).input(g.constant(Tensor.scalar(0))).build();
    }
    Tensor values = Tensor.of(DataType.FLOAT32, Shape.of(3, 2), new float[] {1, 2, 3, 4, 5, 6});
    try (Server server = start(binding);
        Session session = Session.open(server.target(), g)) {
      assertThat(
              session
                  .runner()
                  .feed(table, values)
                  .feed(index, Tensor.vector(1, -1))
                  .fetch(rows)
                  .run()
                  .getFirst()
                  .floats())
          .containsExactly(5, 6, 1, 2);

      assertThatThrownBy(() ->
              session
                  .runner()
                  .feed(table, values)
                  .feed(index, Tensor.vector(0, 2))
                  .fetch(rows)
                  .run())
          .satisfies(
              e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
          .hasMessageContaining("indices[1] = 3 is not in [0, 3)");
      assertThat(fake.faults()).isEmpty();
    }
  }

  /** Two classes of images, by a layer: resized, with noise, multiplied by weights, softmax. */
  private Output scores(Output images, Output weights) {
    Output small =
        g.op("ResizeBilinear")
            .input(images)
            .input(g.constant(Tensor.vector(2, 3)))
            .attr("half_pixel_centers", true)
            .build();
    Output noise =
        g.op("RandomUniform")
            .input(g.constant(Tensor.vector(2, 2, 3, 1)))
            .attr("dtype", DataType.FLOAT32)
            .attr("seed", 3L)
            .attr("seed2", 4L)
            .build();
    Output rows =
        g.op("Reshape").input(small.add(noise)).input(g.constant(Tensor.vector(2, 6))).build();
    return g.op("Softmax").input(g.op("MatMul").input(rows).input(weights).build()).build();
  }

  @ParameterizedTest
  @MethodSource("bindings")
  void layer_givesTheScoresOfTheCpu_withoutTheHost(String binding) {
    Output images = g.placeholder(DataType.UINT8, Shape.UNKNOWN);
    Output weights = g.placeholder(DataType.FLOAT32, Shape.UNKNOWN);
    Output onCpu = scores(images, weights);
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = scores(images, weights);
    }
    byte[] bytes = new byte[2 * 5 * 4];
    float[] factors = new float[6 * 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (7 * i);
    }
    for (int i = 0; i < factors.length; i++) {
      factors[i] = (i % 5 - 2) * 0.01f;
    }
    Tensor input = Tensor.of(DataType.UINT8, Shape.of(2, 5, 4, 1), bytes);
    Tensor matrix = Tensor.of(DataType.FLOAT32, Shape.of(6, 2), factors);
    try (Server server = start(binding);
        Session session = Session.open(server.target(), g)) {
      for (int step = 0; step < 2; step++) {
        var runner = session.runner().feed(images, input).feed(weights, matrix);
        Tensor expected = runner.fetch(onCpu).run().getFirst();
        int copied = fake.calls("cuMemcpyDtoHAsync");
        int launched = fake.calls("cuLaunchKernel");

        Tensor actual =
            session
                .runner()
                .feed(images, input)
                .feed(weights, matrix)
                .fetch(onGpu)
                .run()
                .getFirst();

        assertThat(actual.shape()).isEqualTo(expected.shape()).isEqualTo(Shape.of(2, 2));
        assertThat(actual.floats()).containsExactly(expected.floats(), offset(1e-6f));
        // Resize, random numbers, sum, product and softmax; a reshape moves nothing.
        assertThat(fake.calls("cuLaunchKernel") - launched).isEqualTo(5);
        assertThat(fake.calls("cuMemcpyDtoHAsync") - copied).isEqualTo(1); // the fetch
      }
      assertThat(fake.faults()).isEmpty();
    }
  }
}
