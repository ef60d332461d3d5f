package io.headrace.kernels.image.webp;

import io.headrace.kernels.image.webp.AnimationReader.Animation;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;

/**
 * A WebP file, with its header read. Its pixels are those of libwebp, and it refuses the files that
 * libwebp does. Memory and time are in proportion to the pixels. Immutable; it lends the file.
 */
public final class WebpFile {
  private static final int ANIMATION_CHANNELS = 4;

  private final byte[] file;
  private final WebpHeader header;

  private WebpFile(byte[] file, WebpHeader header) {
    this.file = file;
    this.header = header;
  }

  /** Reads the header of {@code file}; INVALID_ARGUMENT if it is damaged. */
  public static WebpFile open(byte[] file) {
    try {
      return new WebpFile(file, HeaderReader.header(file, 0, file.length));
    } catch (WebpException e) {
      throw StatusException.invalidArgument("Failed to decode WebP header. %s", because(e));
    }
  }

  private static String because(WebpException e) {
    return "The file is damaged: " + e.getMessage();
  }

  /** The channels of its pixels: red, green, blue, and alpha if there are four. */
  public int channels() {
    return header.hasAlpha() ? 4 : 3;
  }

  /** Whether it is an animation, whose pictures always have four channels. */
  public boolean isAnimated() {
    return header.isAnimated();
  }

  /**
   * The pictures of a file.
   *
   * @param count the number of pictures; 1 unless it is an animation
   * @param height in pixels
   * @param width in pixels
   * @param channels 3 or 4
   * @param samples by picture, row, column and channel
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Pictures(int count, int height, int width, int channels, byte[] samples) {}

  /**
   * Decodes the file, or only its first picture unless {@code animated}. INVALID_ARGUMENT if it is
   * damaged, RESOURCE_EXHAUSTED if it passes the bound on a tensor's bytes, CANCELLED by {@code
   * stop}.
   */
  public Pictures decode(boolean animated, LossyDecoder lossy, Cancellation stop) {
    StillImage images = new StillImage(lossy, stop);
    return isAnimated() ? decodeAnimation(animated, images, stop) : decodeStill(images);
  }

  private Pictures decodeStill(StillImage images) {
    int width = header.width();
    int height = header.height();
    try {
      Bitstream image = HeaderReader.image(file, 0, file.length);
      byte[] samples = images.decode(file, image, width, height, channels());
      return new Pictures(1, height, width, channels(), samples);
    } catch (WebpException e) {
      throw StatusException.invalidArgument("Failed to decode WebP image. %s", because(e));
    }
  }

  private Pictures decodeAnimation(boolean animated, StillImage images, Cancellation stop) {
    Animation animation;
    try {
      animation = AnimationReader.read(file);
    } catch (WebpException e) {
      throw failedAnimation("failed to decode WebP Animation", e);
    }
    List<AnimationFrame> frames = animated ? animation.frames() : animation.frames().subList(0, 1);
    int width = animation.width();
    int height = animation.height();
    Shape shape = Shape.of(frames.size(), height, width, ANIMATION_CHANNELS);
    byte[] samples = (byte[]) TensorLimit.allocate(DataType.UINT8, shape);
    Canvas canvas = new Canvas(file, animation, images);
    for (int i = 0; i < frames.size(); i++) {
      stop.check();
      try {
        byte[] picture = canvas.paint(frames.get(i));
        System.arraycopy(picture, 0, samples, i * canvas.size(), canvas.size());
      } catch (WebpException e) {
        throw failedAnimation("failed to decode frame: " + i, e);
      }
    }
    return new Pictures(frames.size(), height, width, ANIMATION_CHANNELS, samples);
  }

  private static StatusException failedAnimation(String what, WebpException e) {
    return StatusException.invalidArgument(
        "Failed to decode WebP Animation: %s. %s", what, because(e));
  }
}
