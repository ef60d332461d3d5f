package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.gpu.cuda.CublasLibraries;
import io.headrace.gpu.cuda.CublasType;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.MatrixProducts;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProductLibraryTest {
  private static final String PRODUCTS = "cublasGemmStridedBatchedEx";

  /** The calls by which a library is tried before it is used. */
  private static final int TRIALS = 4;

  private static final float[] EXPECTED = {1, 2, 8, 3, 4, 18};

  private static GpuFixture open(String... libraries) {
    return GpuFixture.open(
        FakeCudaConfig.DEFAULT, GROWING.withCublas(new CublasLibraries(List.of(libraries))));
  }

  private static String fake() {
    return FakeCuda.library().toString();
  }

  /** The operands and the result of a product [2, 3] of [2, 2] and [2, 3] on a device. */
  private record Product(GpuContext context, DeviceBuffer x, DeviceBuffer y, DeviceBuffer out)
      implements AutoCloseable {
    static Product on(GpuFixture gpu) {
      GpuContext context = gpu.context();
      Tensor left = Tensor.wrap(DataType.FLOAT32, Shape.of(2, 2), new float[] {1, 2, 3, 4});
      Tensor right = Tensor.wrap(DataType.FLOAT32, Shape.of(2, 3), new float[] {1, 0, 2, 0, 1, 3});
      return new Product(
          context,
          context.copies().toDevice(left, "x", WAIT),
          context.copies().toDevice(right, "y", WAIT),
          gpu.allocate(24, StreamRole.COMPUTE));
    }

    boolean multiply(CublasType type) {
      MatrixProducts products =
          new MatrixProducts(
              type, false, false, 2, 3, 2, 1, x.address(), 0, y.address(), 0, out.address());
      return context.products().multiply(products, x, y, out);
    }

    float[] result() {
      return context.copies().toHost(out, DataType.FLOAT32, Shape.of(2, 3), WAIT).floats();
    }

    @Override
    public void close() {
      x.close();
      y.close();
      out.close();
    }
  }

  private static void assertMade(GpuFixture gpu) {
    try (Product product = Product.on(gpu)) {
      assertThat(product.multiply(CublasType.FLOAT)).isTrue();
      assertThat(product.result()).containsExactly(EXPECTED);
    }
  }

  private static void assertDeclined(GpuFixture gpu, CublasType type) {
    try (Product product = Product.on(gpu)) {
      assertThat(product.multiply(type)).isFalse();
    }
  }

  @Test
  void library_startsOnce_andLeavesNothing() {
    try (GpuFixture gpu = open(fake())) {
      assertThat(gpu.fake().calls("cublasCreate")).isZero();
      for (int i = 0; i < 3; i++) {
        assertMade(gpu);
      }
      assertThat(gpu.fake().calls("cublasCreate")).isEqualTo(1);
      assertThat(gpu.context().products().isUsed()).isTrue();
    }
  }

  @Test
  void library_startsOnce_forManyThreads() throws InterruptedException, ExecutionException {
    try (GpuFixture gpu = open(fake());
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> made = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        made.add(threads.submit(() -> assertMade(gpu)));
      }
      for (Future<?> each : made) {
        each.get();
      }
      assertThat(gpu.fake().calls("cublasCreate")).isEqualTo(1);
      assertThat(gpu.fake().calls(PRODUCTS)).isEqualTo(TRIALS + 8);
    }
  }

  @Test
  void withoutLibrary_nothingIsMade() {
    for (String[] libraries : new String[][] {{}, {"/nowhere/libcublas.so.12"}}) {
      try (GpuFixture gpu = open(libraries)) {
        assertDeclined(gpu, CublasType.FLOAT);
        assertThat(gpu.context().products().isUsed()).isFalse();
      }
    }
  }

  @Test
  void libraryThatDoesNotStart_isFollowedByTheNext() {
    try (GpuFixture gpu = open(fake(), "/nowhere/libcublas.so.12", fake())) {
      gpu.fake().failCall("cublasCreate", 1, CudaError.NO_DEVICE);

      assertMade(gpu);
    }
  }

  @Test
  void libraryThatMakesWrongProducts_isNotUsed() {
    FakeCuda fake = FakeCuda.start(FakeCudaConfig.DEFAULT);
    GpuOptions options = GROWING.withCublas(new CublasLibraries(List.of(fake())));
    try (GpuFixture gpu = GpuFixture.open(fake, wrong(GpuFixture.driver("ffm")), options)) {
      assertDeclined(gpu, CublasType.FLOAT);
      assertDeclined(gpu, CublasType.FLOAT);
      assertThat(fake.calls("cublasCreate")).isEqualTo(1);
      assertThat(fake.calls("cublasDestroy")).isEqualTo(1);
    }
  }

  /** A driver that copies another bit to the device than the host has. */
  private static CudaDriver wrong(CudaDriver driver) {
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("memcpyHtoDAsync")) {
                MemorySegment from = (MemorySegment) arguments[1];
                MemorySegment other = Arena.global().allocate(from.byteSize(), 16).copyFrom(from);
                other.set(JAVA_BYTE, 2, (byte) (from.get(JAVA_BYTE, 2) ^ 1));
                arguments[1] = other;
              }
              try {
                return method.invoke(driver, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void workspaceThatHasNoMemory_isDoneWithout() {
    try (GpuFixture gpu = open(fake());
        Product product = Product.on(gpu)) {
      gpu.fake().failCall("cuMemAlloc", 1, CudaError.OUT_OF_MEMORY);

      assertThat(product.multiply(CublasType.FLOAT)).isFalse();
      assertThat(product.multiply(CublasType.FLOAT)).isFalse(); // it is not asked again
      assertThat(gpu.fake().calls("cublasCreate")).isZero();
    }
  }

  @Test
  void typeThatIsNotSupported_isDeclined_andOthersAreMade() {
    try (GpuFixture gpu = open(fake())) {
      gpu.fake().failCall(PRODUCTS, TRIALS + 1, CudaError.NOT_SUPPORTED);
      assertDeclined(gpu, CublasType.BFLOAT16);
      assertMade(gpu);
      assertDeclined(gpu, CublasType.BFLOAT16);
      assertThat(gpu.fake().calls(PRODUCTS)).isEqualTo(TRIALS + 2);
    }
  }

  @Test
  void libraryThatFails_isAskedNoMore() {
    try (GpuFixture gpu = open(fake())) {
      gpu.fake().failCall(PRODUCTS, TRIALS + 1, CudaError.UNKNOWN);
      assertDeclined(gpu, CublasType.BFLOAT16);
      assertDeclined(gpu, CublasType.FLOAT);
      assertThat(gpu.fake().calls(PRODUCTS)).isEqualTo(TRIALS + 1);
      assertThat(gpu.context().products().isUsed()).isFalse();
    }
  }

  @Test
  void lostDevice_isUnavailable_andTheNextContextStartsTheLibraryAnew() {
    FakeCudaConfig recovers = FakeCudaConfig.DEFAULT.withRecoversFromFaults(true);
    GpuFixture gpu =
        GpuFixture.open(recovers, GROWING.withCublas(new CublasLibraries(List.of(fake()))));
    assertMade(gpu);
    Product product = Product.on(gpu);
    gpu.fake().failCall(PRODUCTS, 1, CudaError.UNKNOWN);
    gpu.fake().failCall("cuStreamQuery", 1, CudaError.ILLEGAL_ADDRESS);

    assertFails(StatusCode.UNAVAILABLE, () -> product.multiply(CublasType.FLOAT))
        .hasMessageContaining("was lost");

    product.close();
    gpu.nanos().addAndGet(1_000_000_000);
    assertMade(gpu);
    assertThat(gpu.fake().calls("cublasCreate")).isEqualTo(2);
    gpu.closeWithFaults();
  }

  @Test
  void closedDevice_isAskedNoMore() {
    GpuFixture gpu = open(fake());
    assertMade(gpu);
    Product product = Product.on(gpu);
    gpu.device().close();

    MatrixProducts products =
        new MatrixProducts(CublasType.FLOAT, false, false, 2, 3, 2, 1, 256, 0, 256, 0, 256);
    assertThat(
            product
                .context()
                .products()
                .multiply(products, product.x(), product.y(), product.out()))
        .isFalse();
    assertThat(gpu.fake().calls(PRODUCTS)).isEqualTo(TRIALS + 1);
    assertThat(gpu.fake().faults()).isEmpty();
    gpu.fake().close();
  }
}
