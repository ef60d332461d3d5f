package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CudaDrivers;
import io.headrace.gpu.cuda.CudaSearch;
import io.headrace.gpu.kernels.GpuAccelerators;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GPUOptions;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerHost;
import io.headrace.worker.WorkerServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Stock clients on a server and a worker with a GPU, which the fake driver stands for. Both run in
 * this process, as the fake does.
 */
final class StockClientOnGpuTest {
  private static final ConfigProto GROWING =
      ConfigProto.newBuilder()
          .setGpuOptions(
              GPUOptions.newBuilder().setAllowGrowth(true).setPerProcessGpuMemoryFraction(0.45))
          .build();

  /** Little, since the fake driver keeps notes of each byte. */
  private static final int MEMORY_BYTES = 64 << 20;

  private static final FakeCuda FAKE =
      FakeCuda.start(FakeCudaConfig.DEFAULT.withMemoryBytes(MEMORY_BYTES));
  private static final CudaSearch SEARCH =
      CudaDrivers.search("ffm", List.of(FakeCuda.library().toString()));
  private static final List<Accelerator> OF_WORKER = open(GROWING);
  private static final Server SERVER =
      new Server(
          ServerDefs.local(GROWING),
          ServerHost.ofProcess().withAccelerators(StockClientOnGpuTest::open));
  private static final DispatchServer DISPATCHER =
      DispatchServer.start(DispatcherConfig.defaults());
  private static final WorkerServer WORKER =
      new WorkerServer(
          WorkerConfig.forDispatcher(DISPATCHER.address()),
          WorkerHost.ofProcess().withAccelerators(OF_WORKER));

  private static List<Accelerator> open(ConfigProto config) {
    return GpuAccelerators.open(SEARCH, config, Map.of(), List.of(), CublasLibraries.NONE);
  }

  @BeforeAll
  static void start() {
    SERVER.start();
    WORKER.start();
  }

  @AfterAll
  static void stop() {
    WORKER.close();
    DISPATCHER.close();
    SERVER.stop();
    Accelerator.closeAll(OF_WORKER);
    FAKE.close();
  }

  private static void assertPasses(String script, String... arguments) throws InterruptedException {
    var command = StockTensorFlow.command(script, arguments);
    try (var client = ManagedProcess.start(script, command, StockTensorFlow.ENVIRONMENT)) {
      assertThat(client.awaitEnd(300)).as(client.tailOfLog()).isZero();
    }
  }

  @Test
  void sessionsAndMapFunctions_computeOnTheGpu() throws InterruptedException {
    int before = FAKE.calls("cuLaunchKernel");

    assertPasses("gpus.py", SERVER.target(), DISPATCHER.target());

    assertThat(FAKE.calls("cuLaunchKernel")).isGreaterThan(before);
  }

  @Test
  void scriptsThatNameNoDevice_passWithAGpu() throws InterruptedException {
    assertPasses("sessions.py", SERVER.target(), "resource");
  }
}
