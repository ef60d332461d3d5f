package io.headrace.gpu.device;

import static io.headrace.gpu.device.GpuFixture.GROWING;
import static io.headrace.gpu.device.GpuFixture.WAIT;
import static io.headrace.gpu.device.GpuFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.fakecuda.driver.CudaError;
import io.headrace.fakecuda.driver.FakeCudaConfig;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TensorCopiesTest {
  /** Elements that lie before the tensor's in its array. */
  private static final int OFFSET = 3;

  @ParameterizedTest
  @MethodSource("io.headrace.gpu.device.GpuFixture#bindings")
  void everyDtype_keepsItsBits(String binding) {
    Random random = new Random(1);
    try (GpuFixture gpu = GpuFixture.open(binding, FakeCudaConfig.DEFAULT, GROWING)) {
      for (DataType dtype : fixedWidth()) {
        // A slot has 64 bytes.
        for (int elements : new int[] {0, 1, 8, 64, 65, 333}) {
          byte[] bits = bits(dtype, elements, random);
          Tensor tensor = tensor(dtype, elements, bits);
          try (DeviceBuffer buffer = gpu.context().copies().toDevice(tensor, "test", WAIT)) {
            assertThat(buffer.bytes()).isEqualTo(bits.length);
            Tensor back = gpu.context().copies().toHost(buffer, dtype, Shape.of(elements), WAIT);
            assertThat(bytes(back)).as("%d of %s", elements, dtype).isEqualTo(bits);
          }
        }
      }
    }
  }

  private static Iterable<DataType> fixedWidth() {
    return Stream.of(DataType.values()).filter(dtype -> dtype.kind().isFixedWidth()).toList();
  }

  private static byte[] bits(DataType dtype, int elements, Random random) {
    byte[] bits = new byte[elements * dtype.byteSize()];
    random.nextBytes(bits);
    for (int i = 0; dtype == DataType.BOOL && i < bits.length; i++) {
      bits[i] &= 1;
    }
    return bits;
  }

  private static Tensor tensor(DataType dtype, int elements, byte[] bits) {
    Object array = TensorLimit.allocate(dtype, Shape.of(elements + OFFSET));
    segment(array)
        .asSlice((long) OFFSET * dtype.byteSize(), bits.length)
        .copyFrom(MemorySegment.ofArray(bits));
    return Tensor.view(dtype, Shape.of(elements), array, OFFSET);
  }

  private static MemorySegment segment(Object array) {
    return switch (array) {
      case byte[] bytes -> MemorySegment.ofArray(bytes);
      case short[] shorts -> MemorySegment.ofArray(shorts);
      case int[] ints -> MemorySegment.ofArray(ints);
      case long[] longs -> MemorySegment.ofArray(longs);
      case float[] floats -> MemorySegment.ofArray(floats);
      case double[] doubles -> MemorySegment.ofArray(doubles);
      default -> throw new AssertionError(array);
    };
  }

  private static byte[] bytes(Tensor tensor) {
    ByteBuffer target = ByteBuffer.allocate((int) tensor.byteSize()).order(ByteOrder.nativeOrder());
    tensor.copyTo(target);
    return target.array();
  }

  @Test
  void write_replacesTheStartOfABuffer_andOfATensorThatChangesLater() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      TensorCopies copies = gpu.context().copies();
      DeviceBuffer buffer = copies.toDevice(Tensor.vector(1, 2, 3), "test", WAIT);
      int[] array = {7, 8};
      copies.write(Tensor.wrap(DataType.INT32, Shape.of(2), array), buffer, WAIT);
      array[0] = 9;
      assertThat(copies.toHost(buffer, DataType.INT32, Shape.of(3), WAIT).ints())
          .containsExactly(7, 8, 3);
      buffer.close();
    }
  }

  @Test
  void threads_shareTheSlots() {
    for (long seed = 0; seed < 10; seed++) {
      FakeCudaConfig config = FakeCudaConfig.DEFAULT.withSeed(seed);
      try (GpuFixture gpu = GpuFixture.open(config, GROWING)) {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
          CompletableFuture.allOf(
                  IntStream.range(0, 4)
                      .mapToObj(i -> CompletableFuture.runAsync(() -> roundTrip(gpu, i), threads))
                      .toArray(CompletableFuture<?>[]::new))
              .join();
        }
        assertThat(gpu.context().memory().inUse()).isZero();
      }
    }
  }

  private static void roundTrip(GpuFixture gpu, int value) {
    int[] values = IntStream.range(0, 300).map(i -> i * value).toArray();
    TensorCopies copies = gpu.context().copies();
    try (DeviceBuffer buffer = copies.toDevice(Tensor.vector(values), "test", WAIT)) {
      assertThat(copies.toHost(buffer, DataType.INT32, Shape.of(300), WAIT).ints())
          .isEqualTo(values);
    }
  }

  @Test
  void strings_stayOnTheHost() {
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      TensorCopies copies = gpu.context().copies();
      Tensor text = Tensor.scalar("text");
      assertFails(StatusCode.INVALID_ARGUMENT, () -> copies.toDevice(text, "test", WAIT))
          .hasMessageContaining("a tensor of string stays on the host");
      DeviceBuffer buffer = gpu.allocate(8, StreamRole.TO_DEVICE);
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          () -> copies.toHost(buffer, DataType.VARIANT, Shape.SCALAR, WAIT));
      assertThatThrownBy(() -> copies.write(Tensor.vector(1, 2, 3), buffer, WAIT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("12 bytes do not fit a buffer of 8 bytes of test");
      buffer.close();
    }
  }

  @Test
  void cancelledCopies_giveTheirSlotsBack() {
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    HostWait stopped = new HostWait(Duration.ofMinutes(1), cancelled);
    HostWait late = new HostWait(Duration.ZERO, new Cancellation());
    try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
      TensorCopies copies = gpu.context().copies();
      Tensor values = Tensor.vector(new int[400]);
      DeviceBuffer buffer = copies.toDevice(values, "test", WAIT);
      for (int i = 0; i < 5; i++) {
        assertFails(
            StatusCode.CANCELLED,
            () -> copies.toHost(buffer, DataType.INT32, Shape.of(400), stopped));
        assertFails(
            StatusCode.DEADLINE_EXCEEDED,
            () -> copies.toHost(buffer, DataType.INT32, Shape.of(400), late));
        assertFails(StatusCode.CANCELLED, () -> copies.toDevice(values, "test", stopped));
      }
      gpu.context().synchronize(WAIT);
      assertThat(gpu.context().ring(StreamRole.TO_HOST).idle()).isEqualTo(2);
      assertThat(gpu.context().ring(StreamRole.TO_DEVICE).idle()).isEqualTo(2);
      assertThat(copies.toHost(buffer, DataType.INT32, Shape.of(400), WAIT).ints()).containsOnly(0);
      buffer.close();
      assertThat(gpu.context().memory().inUse()).isZero();
    }
  }

  @Test
  void failureBehindACopy_keepsTheSlotUntilTheCopyIsOver() {
    for (String function : new String[] {"cuEventCreate", "cuEventRecord", "cuMemcpyHtoDAsync"}) {
      try (GpuFixture gpu = GpuFixture.open(FakeCudaConfig.DEFAULT, GROWING)) {
        TensorCopies copies = gpu.context().copies();
        gpu.fake().failCall(function, 1, CudaError.INVALID_VALUE);
        assertFails(
                StatusCode.INTERNAL,
                () -> copies.toDevice(Tensor.vector(new int[40]), "test", WAIT))
            .hasMessageContaining("GPU 0 (Headrace Fake GPU): " + function);
        roundTrip(gpu, 5);
        assertThat(gpu.context().memory().inUse()).isZero();
      }
    }
  }
}
