package io.headrace.gpu.kernels;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.KernelFunction;
import io.headrace.gpu.device.LaunchSize;
import io.headrace.gpu.device.StreamRole;
import io.headrace.gpu.ptx.PtxResource;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Makes batches of normalized floats of images of bytes, [height, width, channels] with at most 4
 * channels, in one launch: {@code (byte - mean) * factor} by channel. The results have the bits
 * that the CPU's kernels of the ops Slice, ResizeBilinear (half-pixel centers), ReverseV2, Cast,
 * Sub, Mul and Transpose have together.
 *
 * <p>Used from platform threads only. Thread-safe.
 */
public final class ImageBatches {
  private static final int MAX_CHANNELS = 4;
  private static final int BLOCK = 256;

  /** The most blocks of a launch; more are no faster on an H100. */
  private static final int MAX_BLOCKS = 1 << 16;

  private static final int TILE_WIDTH = 64;
  private static final int TILE_HEIGHT = 8;

  /** The pixels of a plane that a thread writes at once. */
  private static final int GROUP = 4;

  private static final String OWNER = "images";

  private final GpuContext context;
  private final HostWait wait;

  /** Batches on a device. */
  public ImageBatches(GpuContext context, HostWait wait) {
    this.context = context;
    this.wait = wait;
  }

  /**
   * A part of an image.
   *
   * @param image bytes [height, width, channels], on the host
   * @param top its first line
   * @param left its first column
   * @param isFlipped whether left and right are exchanged after it is resized
   */
  public record Cut(Tensor image, int top, int left, int height, int width, boolean isFlipped) {
    /** INVALID_ARGUMENT if it is no part of such an image. */
    public Cut {
      Shape shape = image.shape();
      if (image.dtype() != DataType.UINT8 || shape.rank() != 3) {
        throw StatusException.invalidArgument(
            "an image must be uint8 [height, width, channels], not %s", image.typeAndShape());
      }
      if (top < 0
          || left < 0
          || height < 1
          || width < 1
          || top > shape.size(0) - height
          || left > shape.size(1) - width) {
        throw StatusException.invalidArgument(
            "lines from %d and columns from %d, %d x %d, are no part of %s",
            top, left, height, width, shape);
      }
    }

    int channels() {
      return (int) image.shape().size(2);
    }

    /** The bytes of a line of the part. */
    int lineBytes() {
      return width * channels();
    }

    /** The bytes of the part, and of no other pixels of the image. */
    long bytes() {
      return (long) height * lineBytes();
    }
  }

  /**
   * The numbers that a byte is turned into a float with.
   *
   * @param mean what is subtracted, by channel
   * @param factor what the difference is multiplied by, by channel
   */
  public record Scaling(List<Float> mean, List<Float> factor) {
    /** INVALID_ARGUMENT unless both have a number for each of at most 4 channels. */
    public Scaling {
      mean = List.copyOf(mean);
      factor = List.copyOf(factor);
      if (mean.size() != factor.size() || mean.isEmpty() || mean.size() > MAX_CHANNELS) {
        throw StatusException.invalidArgument(
            "means and factors must be of as many channels, at most %d: %s, %s",
            MAX_CHANNELS, mean, factor);
      }
    }

    private void set(KernelArguments arguments, int first) {
      for (int c = 0; c < MAX_CHANNELS; c++) {
        arguments.set(first + c, c < mean.size() ? mean.get(c) : 0f);
        arguments.set(first + MAX_CHANNELS + c, c < factor.size() ? factor.get(c) : 0f);
      }
    }
  }

  /**
   * Cuts of images of any sizes as one batch, on the device: [cuts, height, width, channels], or
   * [cuts, channels, height, width] if {@code areChannelsFirst}.
   *
   * @throws StatusException INVALID_ARGUMENT if there are none, or their channels differ from those
   *     of {@code scaling}
   */
  public Tensor prepare(
      List<Cut> cuts, int height, int width, Scaling scaling, boolean areChannelsFirst) {
    int channels = scaling.mean().size();
    if (cuts.isEmpty() || height < 1 || width < 1) {
      throw StatusException.invalidArgument(
          "%d images of %d x %d pixels are no batch", cuts.size(), height, width);
    }
    for (Cut cut : cuts) {
      if (cut.channels() != channels) {
        throw StatusException.invalidArgument(
            "an image has %d channels, and the means are of %d", cut.channels(), channels);
      }
    }
    Shape shape =
        areChannelsFirst
            ? Shape.of(cuts.size(), channels, height, width)
            : Shape.of(cuts.size(), height, width, channels);
    try (DeviceBuffer pixels = pixels(cuts);
        DeviceBuffer table = onDevice(table(cuts, height, width))) {
      return prepared(pixels, table, shape, height, width, scaling, areChannelsFirst);
    }
  }

  private Tensor prepared(
      DeviceBuffer pixels,
      DeviceBuffer table,
      Shape shape,
      int height,
      int width,
      Scaling scaling,
      boolean areChannelsFirst) {
    int tiles = (int) shape.size(0) * tiles(height, TILE_HEIGHT) * tiles(width, TILE_WIDTH);
    DeviceBuffer output = allocate((long) shape.elements() * Float.BYTES);
    try (Arena arena = Arena.ofConfined()) {
      KernelArguments arguments = KernelArguments.allocate(arena, 8 + 2 * MAX_CHANNELS);
      arguments.set(0, pixels.address()).set(1, table.address()).set(2, output.address());
      arguments.set(3, tiles).set(4, height).set(5, width).set(6, scaling.mean().size());
      arguments.set(7, areChannelsFirst ? 1 : 0);
      scaling.set(arguments, 8);
      launch(
          "prepareImages", Math.min(tiles, MAX_BLOCKS), arguments, List.of(pixels, table), output);
      return GpuTensorMemory.tensor(context, output, DataType.FLOAT32, shape);
    } catch (RuntimeException | Error e) {
      output.close();
      throw e;
    }
  }

  private static int tiles(int size, int edge) {
    return (size + edge - 1) / edge;
  }

  /**
   * Whether {@link #toPlanes} takes such images: [batch, height, width, channels] with 1, 3 or 4
   * channels, whose pixels are a multiple of 4.
   */
  public static boolean canBePlanes(Shape images) {
    return images.rank() == 4
        && images.elements() > 0
        && images.size(3) <= MAX_CHANNELS
        && images.size(3) != 2
        && images.size(1) * images.size(2) % GROUP == 0;
  }

  /**
   * Images of one size, bytes [batch, height, width, channels], as floats [batch, channels, height,
   * width], on the device. Each byte is read once and each float written once.
   *
   * @throws StatusException INVALID_ARGUMENT unless {@link #canBePlanes}
   */
  public Tensor toPlanes(Tensor images, Scaling scaling) {
    Shape from = images.shape();
    if (images.dtype() != DataType.UINT8
        || !canBePlanes(from)
        || from.size(3) != scaling.mean().size()) {
      throw StatusException.invalidArgument(
          "%s cannot be planes of %d channels", images.typeAndShape(), scaling.mean().size());
    }
    try (DeviceBuffer bytes = GpuTensorMemory.hold(context, images, OWNER, wait)) {
      Shape to = Shape.of(from.size(0), from.size(3), from.size(1), from.size(2));
      DeviceBuffer output = allocate((long) to.elements() * Float.BYTES);
      try {
        toPlanes(bytes, output, from, scaling);
        return GpuTensorMemory.tensor(context, output, DataType.FLOAT32, to);
      } catch (RuntimeException | Error e) {
        output.close();
        throw e;
      }
    }
  }

  /** The same from a buffer to another; {@code from} is the shape of the bytes. */
  public void toPlanes(DeviceBuffer bytes, DeviceBuffer output, Shape from, Scaling scaling) {
    int groups = (int) (from.elements() / from.size(3)) / GROUP;
    try (Arena arena = Arena.ofConfined()) {
      KernelArguments arguments = KernelArguments.allocate(arena, 4 + 2 * MAX_CHANNELS);
      arguments.set(0, bytes.address()).set(1, output.address()).set(2, groups);
      arguments.set(3, (int) (from.size(1) * from.size(2)) / GROUP);
      scaling.set(arguments, 4);
      int blocks = Math.min((groups + BLOCK - 1) / BLOCK, MAX_BLOCKS);
      launch("normalizeToPlanes" + from.size(3), blocks, arguments, List.of(bytes), output);
    }
  }

  private void launch(
      String name,
      int blocks,
      KernelArguments arguments,
      List<DeviceBuffer> reads,
      DeviceBuffer output) {
    try (KernelFunction kernel = context.modules().function(PtxResource.IMAGES.text(), name)) {
      context.stream(StreamRole.COMPUTE)
          .launch(kernel, LaunchSize.linear(blocks, BLOCK), arguments, reads, List.of(output));
    }
  }

  private DeviceBuffer allocate(long bytes) {
    return GpuMemory.allocate(context, bytes, OWNER, StreamRole.COMPUTE, wait);
  }

  private DeviceBuffer onDevice(byte[] bytes) {
    return GpuTensorMemory.hold(
        context, Tensor.wrap(DataType.UINT8, Shape.of(bytes.length), bytes), OWNER, wait);
  }

  /** The pixels of all cuts on the device, line by line, one cut behind the other. */
  private DeviceBuffer pixels(List<Cut> cuts) {
    long total = cuts.stream().mapToLong(Cut::bytes).sum();
    DeviceBuffer buffer = GpuMemory.allocate(context, total, OWNER, StreamRole.TO_DEVICE, wait);
    try {
      CutBytes bytes = new CutBytes(cuts);
      context.copies().write(total, (_, piece) -> bytes.fill(piece), buffer, wait);
      return buffer;
    } catch (RuntimeException | Error e) {
      buffer.close();
      throw e;
    }
  }

  /** The table of cuts, as images.cu declares them. */
  private static byte[] table(List<Cut> cuts, int height, int width) {
    int bytes = Long.BYTES + 6 * Integer.BYTES;
    ByteBuffer table = ByteBuffer.allocate(cuts.size() * bytes).order(ByteOrder.LITTLE_ENDIAN);
    long image = 0;
    for (Cut cut : cuts) {
      table.putLong(image);
      table
          .putInt(cut.width())
          .putInt(cut.height())
          .putInt(cut.width())
          .putInt(cut.isFlipped() ? 1 : 0);
      table.putFloat(cut.height() / (float) height).putFloat(cut.width() / (float) width);
      image += cut.bytes();
    }
    return table.array();
  }
}
