package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.kernels.OracleCase;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java decoder gives TensorFlow's pixels and refusals, also where OracleTest finds native code.
 */
final class JavaJpegDecoderTest {
  private static final JpegDecoder DECODER = new JavaJpegDecoder();

  static Stream<OracleCase> cases() throws IOException {
    return Stream.concat(read("jpeg_library"), read("jpeg_process"))
        .filter(c -> c.node().getOp().equals("DecodeJpeg") || isCrop(c.node()));
  }

  private static Stream<OracleCase> read(String family) throws IOException {
    String name = "oracle/" + family + ".cases.gz";
    try (InputStream in = OracleCase.class.getResourceAsStream(name)) {
      return OracleCase.readAll(Objects.requireNonNull(in, name), family).stream();
    }
  }

  private static boolean isCrop(NodeDef node) {
    return node.getOp().equals("DecodeAndCropJpeg");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void decode_isStocks(OracleCase c) {
    Pixels pixels = DECODER.decode(c.inputs().getFirst().string(0), request(c));

    OracleCase.Answer answer = c.answers().getFirst();
    if (answer.code() != StatusCode.OK) {
      assertThat(pixels).isNull();
      return;
    }
    Tensor expected = answer.outputs().getFirst();
    assertThat(pixels).isNotNull();
    Tensor actual = pixels.toTensor(DataType.UINT8, false);
    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.detach().bytes()).isEqualTo(expected.detach().bytes());
  }

  private static JpegDecoder.Request request(OracleCase c) {
    NodeDef node = c.node();
    return new JpegDecoder.Request(
        (int) (node.containsAttr("channels") ? node.getAttrOrThrow("channels").getI() : 0),
        (int) (node.containsAttr("ratio") ? node.getAttrOrThrow("ratio").getI() : 1),
        !node.containsAttr("fancy_upscaling") || node.getAttrOrThrow("fancy_upscaling").getB(),
        node.containsAttr("dct_method")
            && node.getAttrOrThrow("dct_method").getS().toStringUtf8().equals("INTEGER_ACCURATE"),
        node.containsAttr("try_recover_truncated")
            && node.getAttrOrThrow("try_recover_truncated").getB(),
        node.containsAttr("acceptable_fraction")
            ? node.getAttrOrThrow("acceptable_fraction").getF()
            : 1,
        window(c));
  }

  private static JpegDecoder.@Nullable Window window(OracleCase c) {
    if (!isCrop(c.node())) {
      return null;
    }
    Tensor window = c.inputs().get(1);
    return new JpegDecoder.Window(
        (int) window.integer(0),
        (int) window.integer(1),
        (int) window.integer(2),
        (int) window.integer(3));
  }

  private static JpegDecoder.Request recovering() {
    return new JpegDecoder.Request(0, 1, true, false, true, 1, null);
  }

  /** A file of {@code height} by {@code width} gray pixels without any data. */
  private static byte[] empty(int height, int width) {
    return bytes(
        List.of(0xff, 0xd8, 0xff, 0xdb, 0, 67, 0),
        new byte[64],
        List.of(
            0xff,
            0xc2,
            0,
            11,
            8,
            height >> 8,
            height & 255,
            width >> 8,
            width & 255,
            1,
            1,
            0x11,
            0,
            0xff,
            0xc4,
            0,
            20,
            0,
            1,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0xff,
            0xda,
            0,
            8,
            1,
            1,
            0,
            0,
            0,
            0));
  }

  private static byte[] bytes(List<Integer> head, byte[] middle, List<Integer> tail) {
    byte[] all = new byte[head.size() + middle.length + tail.size()];
    for (int i = 0; i < head.size(); i++) {
      all[i] = head.get(i).byteValue();
    }
    System.arraycopy(middle, 0, all, head.size(), middle.length);
    for (int i = 0; i < tail.size(); i++) {
      all[head.size() + middle.length + i] = tail.get(i).byteValue();
    }
    return all;
  }

  @Test
  void decode_headerWithoutData_isGray() {
    Pixels pixels = DECODER.decode(empty(9, 20), recovering());

    assertThat(pixels).isNotNull();
    byte[] gray = new byte[9 * 20];
    Arrays.fill(gray, (byte) 128);
    assertThat((byte[]) pixels.samples()).isEqualTo(gray);
  }

  @Test
  void decode_largerThanTheBound_isRefusedBeforeAllocation() {
    long bound = TensorLimit.maxBytes();
    TensorLimit.setMaxBytes(1 << 20);
    try {
      byte[] file = empty(20_000, 20_000);
      assertThatThrownBy(() -> DECODER.decode(file, recovering()))
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    } finally {
      TensorLimit.setMaxBytes(bound);
    }
  }

  @Test
  void decode_endlessScans_isDamaged() {
    byte[] head = empty(8, 8);
    int scan = 10;
    byte[] file = Arrays.copyOf(head, head.length + 2000 * scan);
    for (int i = 0; i < 2000; i++) {
      System.arraycopy(head, head.length - scan, file, head.length + i * scan, scan);
    }

    assertThat(DECODER.decode(file, recovering())).isNull();
  }

  /** libjpeg reads the fill bytes again and again. */
  @Test
  void decode_fillBytesAtTheEnd_isDamaged() {
    byte[] head = empty(8, 8);
    byte[] file = Arrays.copyOf(head, head.length + 1);
    file[head.length] = (byte) 0xff;

    assertThat(DECODER.decode(file, recovering())).isNull();
  }

  @Test
  void decode_everyPrefix_ends() {
    byte[] whole =
        JpegEncoder.encode(new byte[16 * 16 * 3], 16, 16, 3, JpegEncoder.Request.ofQuality(50));
    for (int length = 0; length < whole.length; length++) {
      byte[] prefix = Arrays.copyOf(whole, length);
      Pixels pixels = DECODER.decode(prefix, recovering());
      if (pixels != null) {
        assertThat(Shape.of(pixels.height(), pixels.width())).isEqualTo(Shape.of(16, 16));
      }
    }
  }
}
