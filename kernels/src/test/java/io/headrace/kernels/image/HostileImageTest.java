package io.headrace.kernels.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.kernels.FakeCall;
import io.headrace.kernels.image.webp.LossyDecoder;
import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small files whose headers claim large images are refused for what they lack, before the pixels
 * are allocated: the bound on a tensor, which an allocation would meet, is low here.
 */
final class HostileImageTest {
  private final long bound = TensorLimit.maxBytes();

  @BeforeEach
  void lowerTheBound() {
    TensorLimit.setMaxBytes(1 << 20);
  }

  @AfterEach
  void restoreTheBound() {
    TensorLimit.setMaxBytes(bound);
  }

  private static Tensor decode(String name, byte[] file) {
    Op op =
        DecodeImageOps.ops().stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    Attrs attrs = new Attrs("node", op, Map.of());
    NodeSpec node = NodeSpec.of("node", op, attrs, FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(Tensor.scalar(file)), StepContext.standalone());
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(1).getFirst();
  }

  private static byte[] png(int width, int height, int rawBytes) {
    Deflater deflater = new Deflater(9);
    deflater.setInput(new byte[rawBytes]);
    deflater.finish();
    byte[] data = new byte[rawBytes + 100];
    int size = deflater.deflate(data);
    deflater.end();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
    ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height).put((byte) 8);
    chunk(out, "IHDR", header.array(), 13);
    chunk(out, "IDAT", data, size);
    chunk(out, "IEND", data, 0);
    return out.toByteArray();
  }

  private static void chunk(ByteArrayOutputStream out, String type, byte[] data, int size) {
    ByteBuffer chunk = ByteBuffer.allocate(12 + size);
    chunk.putInt(size).put(ByteStrings.bytes(type)).put(data, 0, size);
    CRC32 crc = new CRC32();
    crc.update(chunk.array(), 4, 4 + size);
    out.writeBytes(chunk.putInt((int) crc.getValue()).array());
  }

  @Test
  void decode_pngOfFewBytesAndManyPixels_isInvalidData() {
    byte[] file = png(20_000, 20_000, 0);
    assertThat(file).hasSize(65);

    assertThatThrownBy(() -> decode("DecodePng", file))
        .hasMessage("Invalid PNG data, size 65")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void decode_pngThatExpandsMost_isDecoded() {
    byte[] file = png(1000, 1000, 1001 * 1000);

    assertThat(decode("DecodePng", file).shape().elements()).isEqualTo(1_000_000);
  }

  @ParameterizedTest(name = "{0} by {1}")
  @CsvSource({"1000001, 1", "1, 1000001", "134217728, 1"})
  void decode_pngWiderThanLibpngAccepts_isRefusedAsByTensorFlow(int width, int height) {
    assertThatThrownBy(() -> decode("DecodePng", png(width, height, 0)))
        .hasMessage("Invalid PNG. Failed to initialize decoder.");
  }

  @Test
  void decode_gifOfFewBytesAndManyPixels_isCutOff() {
    ByteBuffer file = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    file.put(ByteStrings.bytes("GIF89a")).putShort((short) 1).putShort((short) 1);
    file.put(new byte[] {(byte) 0x80, 0, 0}).put(new byte[6]).put((byte) 0x2c).putInt(0);
    file.putShort((short) 20_000).putShort((short) 20_000);
    file.put(new byte[] {0, 2, 2, 0x44, 1, 0, 0x3b});

    assertThatThrownBy(() -> decode("DecodeGif", file.array()))
        .hasMessage("Invalid GIF data (size 64), its image data is cut off");
  }

  @ParameterizedTest(name = "{0} by {1}")
  @CsvSource({"20000, 20000", "65500, 65500"})
  void decode_jpegOfFewBytesAndManyPixels_isInvalid(int width, int height) {
    ByteBuffer file = ByteBuffer.allocate(64);
    file.put(new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff, (byte) 0xc0, 0, 17, 8});
    file.putShort((short) height).putShort((short) width);
    file.put(new byte[] {3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0});
    file.put(new byte[] {(byte) 0xff, (byte) 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0});
    file.put(new byte[] {(byte) 0xff, (byte) 0xd9});

    assertThatThrownBy(() -> decode("DecodeJpeg", file.array()))
        .hasMessage("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  private static byte[] webp(String tag, byte... image) {
    ByteBuffer file = ByteBuffer.allocate(20 + image.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(ByteStrings.bytes("RIFF")).putInt(12 + image.length);
    file.put(ByteStrings.bytes("WEBP" + tag)).putInt(image.length).put(image);
    return file.array();
  }

  @Test
  void decode_lossyWebpOfFewBytesAndManyPixels_isCutOff() {
    byte[] image = new byte[64];
    ByteBuffer.wrap(image)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(40 << 5 | 1 << 4)
        .putInt(3, 0x002a019d)
        .putShort(6, (short) 16_000)
        .putShort(8, (short) 16_000);

    assertThatThrownBy(() -> decode("DecodeWebP", webp("VP8 ", image)))
        .hasMessageContaining("Failed to decode WebP image.")
        .hasMessageContaining("its lossy image is cut off")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  /** Five codes of one symbol each, so that pixels take no bits. */
  private static byte[] oneColor(int width, int height) {
    byte[] image = new byte[12];
    ByteBuffer.wrap(image)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) 0x2f)
        .putInt((width - 1) | ((height - 1) << 14))
        // No transform, no cache, no groups; then five times "simple, one symbol, of one bit: 0".
        .putInt(0b0001_0001_0001_0001_0001_000);
    return webp("VP8L", image);
  }

  @Test
  void decode_losslessWebpThatExpandsMost_isDecoded() {
    assertThat(decode("DecodeWebP", oneColor(500, 400)).shape().elements()).isEqualTo(600_000);
  }

  @Test
  void decode_losslessWebpBeyondTheBound_exhaustsIt() {
    assertThatThrownBy(() -> decode("DecodeWebP", oneColor(16_384, 16_384)))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
  }

  @Test
  void decode_lossyWebpWithoutLibrary_saysWhatIsMissing() {
    LossyDecoder missing = NativeWebpDecoder.missing("there is none for macosx-arm64");
    LossyDecoder.Frame frame = new LossyDecoder.Frame(new byte[0], 0, 0, 0);

    assertThatThrownBy(() -> missing.decode(frame, 1, 1, 3, new byte[3]))
        .hasMessageContaining("cannot be loaded: there is none for macosx-arm64")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }
}
