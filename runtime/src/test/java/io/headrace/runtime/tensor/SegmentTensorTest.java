package io.headrace.runtime.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors whose elements are in memory outside the Java heap. */
final class SegmentTensorTest {
  private static final int ROWS = 3;
  private static final int ELEMENTS = 5000;

  private static float[] values(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    return values;
  }

  private static MemorySegment segment(float[] values) {
    return Arena.ofAuto()
        .allocateFrom(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), values);
  }

  /** Memory of a device, which counts the copies. */
  private static final class Device implements DeviceStorage {
    private final float[] values;
    private final boolean hasNative;
    private final AtomicInteger arrays = new AtomicInteger();
    private final AtomicInteger segments = new AtomicInteger();

    Device(float[] values, boolean hasNative) {
      this.values = values;
      this.hasNative = hasNative;
    }

    @Override
    public Object toHost() {
      arrays.incrementAndGet();
      return values.clone();
    }

    @Override
    public Optional<MemorySegment> toNative() {
      segments.incrementAndGet();
      return hasNative ? Optional.of(segment(values)) : Optional.empty();
    }

    Tensor tensor() {
      return TensorMemory.onDevice(DataType.FLOAT32, Shape.of(ROWS, ELEMENTS), this);
    }
  }

  static Stream<Tensor> tensors() {
    float[] values = values(ROWS * ELEMENTS);
    Shape shape = Shape.of(ROWS, ELEMENTS);
    return Stream.of(
        TensorMemory.ofSegment(DataType.FLOAT32, shape, segment(values)),
        new Device(values, true).tensor(),
        new Device(values, false).tensor(),
        TensorMemory.onHost(new Device(values, true).tensor()),
        TensorMemory.onHost(new Device(values, false).tensor()));
  }

  @ParameterizedTest
  @MethodSource("tensors")
  void reading_takesNoNotice(Tensor tensor) {
    float[] values = values(ROWS * ELEMENTS);
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.BIG_ENDIAN);
    tensor.copyTo(buffer);
    float[] copied = new float[values.length];
    buffer.flip().asFloatBuffer().get(copied);
    assertThat(copied).isEqualTo(values);
    assertThat(TensorProtos.write(tensor))
        .isEqualTo(TensorProtos.write(Tensor.vector(values).reshape(tensor.shape())));
    assertThat(tensor.floats()).isEqualTo(values);
    assertThat(tensor.toDirectBuffer().asFloatBuffer().get(7)).isEqualTo(7);
    assertThat(tensor.reshape(Shape.of(ELEMENTS, ROWS)).row(7).floats())
        .containsExactly(21, 22, 23);
    assertThat(tensor.rows(1, 3).row(1).floats()[1]).isEqualTo(2 * ELEMENTS + 1);
    assertThat(tensor.compact().floats()).isEqualTo(values);
    assertThat(tensor.detach().floats()).isEqualTo(values);
    assertThat(TensorMemory.part(tensor, Shape.of(2), 4).floats()).containsExactly(4, 5);
    assertThat((float[]) TensorMemory.array(tensor)).isEqualTo(values);
    assertThat(TensorMemory.array(tensor)).isSameAs(TensorMemory.array(tensor));
    // Once there is an array, the segment is let go.
    assertThat(TensorMemory.segment(tensor)).isNull();
  }

  @Test
  void segment_isReadOnly_andCopiedOnce() {
    Device device = new Device(values(ROWS * ELEMENTS), true);
    Tensor tensor = device.tensor();
    MemorySegment segment = TensorMemory.segment(tensor);
    assertThat(segment).isNotNull().matches(MemorySegment::isReadOnly);
    assertThat(TensorMemory.segment(tensor.reshape(Shape.of(ROWS * ELEMENTS)))).isSameAs(segment);
    assertThat(TensorMemory.segment(TensorMemory.onHost(tensor))).isEqualTo(segment);
    assertThat(TensorMemory.device(tensor)).isSameAs(device);
    assertThat(TensorMemory.device(TensorMemory.onHost(tensor))).isNull();
    assertThat(tensor.floats()).isEqualTo(values(ROWS * ELEMENTS));
    assertThat(device.segments).hasValue(1);
    assertThat(device.arrays).hasValue(0);
  }

  @Test
  void arrayOfADevice_thatIsAskedForFirst_isCopiedThere() {
    Device device = new Device(values(ROWS * ELEMENTS), true);
    Tensor tensor = device.tensor();
    assertThat((float[]) TensorMemory.array(tensor)).hasSize(ROWS * ELEMENTS);
    assertThat(TensorMemory.segment(tensor)).isNull();
    assertThat(device.segments).hasValue(0);
    assertThat(device.arrays).hasValue(1);
  }

  @Test
  void batchOfSegments_isInPieces_andJoinsThem() {
    float[] all = values(ROWS * ELEMENTS);
    List<Tensor> rows =
        IntStream.range(0, ROWS)
            .mapToObj(row ->
                TensorMemory.ofSegment(
                    DataType.FLOAT32,
                    Shape.of(ELEMENTS),
                    segment(all).asSlice(4L * row * ELEMENTS, 4L * ELEMENTS)))
            .toList();
    Tensor batch = Column.stackRows(rows);
    assertThat(TensorMemory.pieces(batch)).containsExactlyElementsOf(rows);
    assertThat((float[]) TensorMemory.array(batch)).isEqualTo(all);
    assertThat(rows).allMatch(row -> TensorMemory.segment(row) != null);
  }

  @Test
  void everyKind_hasItsElements() {
    for (DataType dtype : DataType.values()) {
      if (dtype.kind().isFixedWidth()) {
        MemorySegment bytes = Arena.ofAuto().allocate(6L * dtype.byteSize(), 1);
        for (long i = 0; i < bytes.byteSize(); i++) {
          bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i & 1));
        }
        Tensor tensor = TensorMemory.ofSegment(dtype, Shape.of(2, 3), bytes);
        ByteBuffer read =
            ByteBuffer.allocate((int) bytes.byteSize()).order(ByteOrder.LITTLE_ENDIAN);
        tensor.copyTo(read);
        assertThat(MemorySegment.ofArray(read.array()).mismatch(bytes))
            .as("%s", dtype)
            .isEqualTo(-1);
        assertThat(TensorMemory.array(tensor)).isInstanceOf(dtype.kind().newArray(0).getClass());
        assertThat(tensor.row(1).toString()).isEqualTo(tensor.rows(1, 2).row(0).toString());
      }
    }
  }

  @Test
  void otherSizesAndStrings_areRefused() {
    assertThatThrownBy(
            () -> TensorMemory.ofSegment(DataType.FLOAT32, Shape.of(2), segment(values(3))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("12 bytes for FLOAT32[2]");
    assertThatThrownBy(
            () -> TensorMemory.ofSegment(DataType.STRING, Shape.of(1), segment(values(4))))
        .isInstanceOf(IllegalArgumentException.class);
    Tensor floats = TensorMemory.ofSegment(DataType.FLOAT32, Shape.of(2), segment(values(2)));
    assertThatThrownBy(floats::ints).isInstanceOf(StatusException.class);
  }
}
