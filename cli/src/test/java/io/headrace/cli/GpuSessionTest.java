package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.cluster.Graph;
import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.Session;
import io.headrace.cluster.Variable;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Sessions on a server with a GPU, which the fake driver stands for. */
@Timeout(120)
@ResourceLock("FakeCuda")
final class GpuSessionTest {
  private static final String GPU = "/device:GPU:0";
  private static final String COPY_TO_HOST = "cuMemcpyDtoHAsync";

  /** Little, since servers take all of it, and the fake driver keeps notes of each byte. */
  private static final int MEMORY_BYTES = 4 << 20;

  private final FakeCuda fake =
      FakeCuda.start(FakeCudaConfig.DEFAULT.withDevices(2).withMemoryBytes(MEMORY_BYTES));
  private final CudaSearch search =
      CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()));
  private final Server server = start(ConfigProto.getDefaultInstance(), Map.of());
  private final Graph g = new Graph();

  private Server start(ConfigProto config, Map<String, String> environment) {
    Server started =
        new Server(
            ServerDefs.local(config),
            ServerHost.ofProcess()
                .withAccelerators(c ->
                    GpuAccelerators.open(search, c, environment, List.of(), CublasLibraries.NONE)));
    started.start();
    return started;
  }

  @AfterEach
  void stop() {
    server.stop();
    fake.close();
  }

  private Session open() {
    return Session.open(server.target(), g);
  }

  private Output placeholder(DataType dtype) {
    return g.placeholder(dtype, Shape.UNKNOWN);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      StatusCode code, Runnable action) {
    return assertThatThrownBy(action::run)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  @Test
  void devices_areListedAfterTheCpu_withMemoryAndDescription() {
    try (Session session = open()) {
      List<DeviceAttributes> devices = session.devices();

      assertThat(devices)
          .extracting(DeviceAttributes::getDeviceType)
          .containsExactly("CPU", "GPU", "GPU");
      assertThat(devices.getLast().getName())
          .isEqualTo("/job:localhost/replica:0/task:0/device:GPU:1");
      assertThat(devices.getLast().getMemoryLimit()).isBetween(1L << 20, (long) MEMORY_BYTES);
      assertThat(devices.getLast().getPhysicalDeviceDesc())
          .startsWith("device: 1, name: ")
          .contains("pci bus id: ")
          .endsWith("compute capability: 7.0");
      assertThat(devices.get(1).getIncarnation()).isNotEqualTo(devices.get(2).getIncarnation());
    }
  }

  @Test
  void deviceCount_limitsTheGpus() {
    server.stop();
    ConfigProto one = ConfigProto.newBuilder().putDeviceCount("GPU", 1).build();
    try (Server limited = start(one, Map.of());
        Session session = Session.open(limited.target(), g)) {
      assertThat(session.devices())
          .extracting(DeviceAttributes::getDeviceType)
          .containsExactly("CPU", "GPU");
    }
  }

  @Test
  void environment_saysHowMuchMemoryToLeaveToOthers() {
    server.stop();
    try (Server modest =
            start(ConfigProto.getDefaultInstance(), Map.of("TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "1"));
        Session session = Session.open(modest.target(), g)) {
      assertThat(session.devices().getLast().getMemoryLimit()).isEqualTo(MEMORY_BYTES - (1L << 20));
    }
  }

  @Test
  void pinnedChain_hasTheBitsOfTheCpu_andStaysInTheGpusMemory() {
    Output x = placeholder(DataType.FLOAT32);
    Output row = g.constant(Tensor.vector(1f, -2f, 0.5f));
    Output onCpu = chain(x, row);
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = chain(x, row);
    }
    float[] values = new float[300];
    for (int i = 0; i < values.length; i++) {
      values[i] = (i - 150) * 0.37f;
    }
    Tensor input = Tensor.of(DataType.FLOAT32, Shape.of(100, 3), values);
    try (Session session = open()) {
      Tensor expected = session.runner().feed(x, input).fetch(onCpu).run().getFirst();
      assertThat(fake.calls("cuLaunchKernel")).isZero();
      int copied = fake.calls(COPY_TO_HOST);

      Tensor actual = session.runner().feed(x, input).fetch(onGpu).run().getFirst();

      assertThat(actual.shape()).isEqualTo(expected.shape());
      assertThat(actual.floats()).containsExactly(expected.floats());
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(1);
      assertThat(fake.calls(COPY_TO_HOST) - copied).isEqualTo(1); // the fetch
    }
    assertThat(fake.faults()).isEmpty();
  }

  /** Four elementwise ops, with shapes of three kinds of broadcasting between them. */
  private Output chain(Output x, Output row) {
    Output y = x.mul(row).add(2f);
    return g.op("Identity").input(y).attr("T", DataType.FLOAT32).build().mul(y).sub(x);
  }

  @Test
  void chainAndLayoutChange_areOneLaunch() {
    Output x = placeholder(DataType.UINT8);
    Output onCpu = planes(x);
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = planes(x);
    }
    Tensor images = Tensor.of(DataType.UINT8, Shape.of(2, 4, 5, 3), new byte[120]);
    try (Session session = open()) {
      Tensor expected = session.runner().feed(x, images).fetch(onCpu).run().getFirst();

      Tensor actual = session.runner().feed(x, images).fetch(onGpu).run().getFirst();

      assertThat(actual.shape()).isEqualTo(expected.shape()).isEqualTo(Shape.of(2, 3, 4, 5));
      assertThat(actual.floats()).containsExactly(expected.floats());
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(1);
    }
    assertThat(fake.faults()).isEmpty();
  }

  private Output planes(Output images) {
    Output floats = images.cast(DataType.FLOAT32).sub(g.constant(Tensor.vector(1f, 2f, 3f)));
    return floats.mul(0.5f).transpose(0, 3, 1, 2);
  }

  @Test
  void fetchOfAMiddle_separatesWhatIsBeforeAndBehind() {
    Output x = placeholder(DataType.FLOAT32);
    Output middle;
    Output end;
    try (var _ = g.device(GPU)) {
      middle = x.mul(3f).add(1f);
      end = middle.neg().mul(2f);
    }
    try (Session session = open()) {
      List<Tensor> both =
          session.runner().feed(x, Tensor.vector(1f, 2f)).fetch(middle).fetch(end).run();

      assertThat(both.getFirst().floats()).containsExactly(4f, 7f);
      assertThat(both.getLast().floats()).containsExactly(-8f, -14f);
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(2);
    }
  }

  @Test
  void controlDependency_separatesWhatItOrders() {
    Output x = placeholder(DataType.FLOAT32);
    Output end;
    try (var _ = g.device(GPU)) {
      Output first = x.mul(3f);
      Output second = g.op("Neg").input(first).after(first.operation()).build();
      end = second.add(1f);
    }
    try (Session session = open()) {
      Tensor result = session.runner().feed(x, Tensor.vector(1f, 2f)).fetch(end).run().getFirst();

      assertThat(result.floats()).containsExactly(-2f, -5f);
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(3);
    }
  }

  @Test
  void errorOfAFusedNode_namesIt() {
    Output x = placeholder(DataType.INT32);
    Output end;
    try (var _ = g.device(GPU)) {
      Output divisor = x.sub(2);
      end = g.op("FloorDiv").named("quotient").input(x).input(divisor).build().add(1).neg();
    }
    try (Session session = open()) {
      assertThat(session.runner().feed(x, Tensor.vector(4, 5)).fetch(end).run().getFirst().ints())
          .containsExactly(-3, -2);
      assertThat(fake.calls("cuLaunchKernel")).isEqualTo(1);

      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> session.runner().feed(x, Tensor.vector(4, 2)).fetch(end).run())
          .hasMessageContaining("division by zero\n\t [[{{node quotient}}]]");
    }
  }

  @Test
  void unpinnedNodes_stayOnTheCpu() {
    Output x = placeholder(DataType.FLOAT32);
    Output y = x.mul(3f).add(1f);
    try (Session session = open()) {
      Tensor sum = session.runner().feed(x, Tensor.vector(1f, 2f)).fetch(y).run().getFirst();
      assertThat(sum.floats()).containsExactly(4f, 7f);
    }
    assertThat(fake.calls("cuLaunchKernel")).isZero();
  }

  @Test
  void valuesPass_betweenTwoGpusAndTheCpu() {
    Output x = placeholder(DataType.INT32);
    Output first;
    Output second;
    try (var _ = g.device(GPU)) {
      first = x.mul(x);
    }
    try (var _ = g.device("/device:GPU:1")) {
      second = first.add(x);
    }
    Output third = second.sub(first);
    try (Session session = open()) {
      Tensor input = Tensor.vector(3, -4, 1 << 20);
      List<Tensor> results =
          session.runner().feed(x, input).fetch(second).fetch(third).fetch(first).run();
      assertThat(results.get(0).ints()).containsExactly(12, 12, (1 << 20));
      assertThat(results.get(1).ints()).containsExactly(3, -4, 1 << 20);
      assertThat(results.get(2).ints()).containsExactly(9, 16, 0);
    }
  }

  @Test
  void emptyTensors_needNoGpu() {
    Output x = placeholder(DataType.FLOAT32);
    Output y;
    try (var _ = g.device(GPU)) {
      y = x.add(x);
    }
    try (Session session = open()) {
      Tensor none = Tensor.of(DataType.FLOAT32, Shape.of(0, 5), new float[0]);
      assertThat(session.runner().feed(x, none).fetch(y).run().getFirst().shape())
          .isEqualTo(Shape.of(0, 5));
    }
  }

  @Test
  void integerDivisionByZero_isTheErrorOfTheCpu() {
    Output x = placeholder(DataType.INT32);
    Output divisor = placeholder(DataType.INT32);
    Output quotient;
    try (var _ = g.device(GPU)) {
      quotient = g.op("Div").input(x).input(divisor).attr("T", DataType.INT32).build();
    }
    try (Session session = open()) {
      Tensor whole =
          session
              .runner()
              .feed(x, Tensor.vector(7, -9))
              .feed(divisor, Tensor.vector(2, 4))
              .fetch(quotient)
              .run()
              .getFirst();
      assertThat(whole.ints()).containsExactly(3, -2);
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () ->
                  session
                      .runner()
                      .feed(x, Tensor.vector(7, -9))
                      .feed(divisor, Tensor.vector(2, 0))
                      .fetch(quotient)
                      .run())
          .hasMessageContaining("division by zero");
    }
  }

  @Test
  void opWithoutAKernel_isRefusedByName_orRunsOnTheCpuWhereItMay() {
    Output x = placeholder(DataType.FLOAT32);
    Output inverse;
    try (var _ = g.device(GPU)) {
      inverse = g.op("MatrixInverse").named("inverse").input(x).build();
    }
    Tensor square = Tensor.of(DataType.FLOAT32, Shape.of(2, 2), new float[] {2, 0, 0, 4});
    try (Session session = open()) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> session.runner().feed(x, square).fetch(inverse).run())
          .hasMessageContaining("operation inverse")
          .hasMessageContaining("no supported kernel for GPU devices is available");
    }
    ConfigProto soft = ConfigProto.newBuilder().setAllowSoftPlacement(true).build();
    try (Session session = Session.open(server.target(), g, soft)) {
      assertThat(session.runner().feed(x, square).fetch(inverse).run().getFirst().floats())
          .containsExactly(0.5f, 0, 0, 0.25f);
    }
  }

  @Test
  void groupWithAnOpThatHasNoKernel_runsOnTheCpuWhereItMay() {
    Output shape = g.constant(Tensor.vector(3));
    Output noise;
    try (var _ = g.device(GPU)) {
      noise =
          g.op("RandomGamma")
              .input(shape)
              .input(g.constant(Tensor.scalar(2f)))
              .attr("S", DataType.INT32)
              .attr("T", DataType.FLOAT32)
              .build();
    }
    Output sum = noise.add(noise);
    ConfigProto soft = ConfigProto.newBuilder().setAllowSoftPlacement(true).build();
    try (Session session = Session.open(server.target(), g, soft)) {
      assertThat(session.run(sum).floats()).hasSize(3);
    }
  }

  @Test
  void sourceThatNoGpuRuns_staysOnTheCpu_thoughAGpuReadsIt() {
    Output now = g.op("Timestamp").build();
    Output later;
    try (var _ = g.device(GPU)) {
      later = now.add(1.0);
    }
    try (Session session = open()) {
      assertThat(session.run(later).doubles()[0]).isGreaterThan(1e9);
    }
    assertThat(fake.calls("cuLaunchKernel")).isEqualTo(1);
  }

  @Test
  void shapesThatDoNotMatch_areTheErrorOfTheCpu() {
    Output x = placeholder(DataType.FLOAT32);
    Output y;
    try (var _ = g.device(GPU)) {
      y = x.add(g.constant(Tensor.vector(1f, 2f)));
    }
    try (Session session = open()) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> session.runner().feed(x, Tensor.vector(1f, 2f, 3f)).fetch(y).run())
          .hasMessageContaining("[3]")
          .hasMessageContaining("[2]");
    }
  }

  @Test
  void missingGpu_isRefused() {
    Output x = placeholder(DataType.FLOAT32);
    Output y;
    try (var _ = g.device("/device:GPU:7")) {
      y = x.add(x);
    }
    try (Session session = open()) {
      assertFails(
              StatusCode.INVALID_ARGUMENT,
              () -> session.runner().feed(x, Tensor.scalar(1f)).fetch(y).run())
          .hasMessageContaining("GPU:7")
          .hasMessageContaining("/device:GPU:1");
    }
  }

  @Test
  void variables_areUpdatedOnTheGpu() {
    Variable weights;
    Output next;
    try (var _ = g.device(GPU)) {
      weights = g.variable("weights", Tensor.vector(1f, 2f));
      next = weights.value().mul(2f);
    }
    var update = weights.assign(next);
    try (Session session = open()) {
      session.run(g.initializer());
      session.run(update);
      session.run(update);
      assertThat(session.run(weights.value()).floats()).containsExactly(4f, 8f);
    }
  }

  @Test
  void memoryOfTensorsThatNobodyHolds_isFoundAgain() {
    server.stop();
    ConfigProto small =
        ConfigProto.newBuilder()
            .setGpuOptions(
                GPUOptions.newBuilder()
                    .setPerProcessGpuMemoryFraction(0.1)
                    .setVisibleDeviceList("0"))
            .build();
    Output x = placeholder(DataType.UINT8);
    Output y;
    try (var _ = g.device(GPU)) {
      y = x.add(x);
    }
    int bytes = 1 << 15;
    Tensor input = Tensor.of(DataType.UINT8, Shape.of(bytes), new byte[bytes]);
    try (Server limited = start(small, Map.of());
        Session session = Session.open(limited.target(), g)) {
      for (int step = 0; step < 12; step++) { // 1.1 MiB, of 0.4
        assertThat(session.runner().feed(x, input).fetch(y).run().getFirst().elements())
            .isEqualTo(bytes);
      }
    }
  }

  @Test
  void moreThanTheMemory_isResourceExhausted_andTheGpuGoesOn() {
    Output x = placeholder(DataType.FLOAT32);
    Output y;
    try (var _ = g.device(GPU)) {
      y = x.add(x);
    }
    int elements = MEMORY_BYTES / 2;
    Tensor large = Tensor.of(DataType.FLOAT32, Shape.of(elements), new float[elements]);
    try (Session session = open()) {
      assertFails(
              StatusCode.RESOURCE_EXHAUSTED, () -> session.runner().feed(x, large).fetch(y).run())
          .hasMessageContaining("GPU 0");
      assertThat(session.runner().feed(x, Tensor.scalar(2f)).fetch(y).run().getFirst().floats())
          .containsExactly(4f);
    }
  }

  @Test
  void lostGpu_failsItsSteps_andTheCpuGoesOn() {
    Output x = placeholder(DataType.FLOAT32);
    Output onCpu = x.mul(3f);
    Output onGpu;
    try (var _ = g.device(GPU)) {
      onGpu = x.mul(2f);
    }
    try (Session session = open()) {
      Tensor one = Tensor.scalar(1f);
      assertThat(session.runner().feed(x, one).fetch(onGpu).run().getFirst().floats())
          .containsExactly(2f);

      fake.loseDevice(0, CudaError.ILLEGAL_ADDRESS);

      assertFails(StatusCode.UNAVAILABLE, () -> session.runner().feed(x, one).fetch(onGpu).run())
          .hasMessageContaining("GPU 0");
      assertThat(session.runner().feed(x, one).fetch(onCpu).run().getFirst().floats())
          .containsExactly(3f);
    }
  }

  @Test
  void lostGpu_leavesVariablesTheValuesThatItComputed() {
    Variable weights;
    Output doubled;
    try (var _ = g.device(GPU)) {
      weights = g.variable("lost", Tensor.vector(1f, 2f));
      doubled = weights.value().mul(2f);
    }
    var update = weights.assign(doubled);
    try (Session session = open()) {
      session.run(g.initializer());
      session.run(update);

      fake.loseDevice(0, CudaError.ILLEGAL_ADDRESS);

      assertFails(StatusCode.UNAVAILABLE, () -> session.run(update));
      assertThat(session.run(weights.value()).floats()).containsExactly(2f, 4f);
    }
  }
}
