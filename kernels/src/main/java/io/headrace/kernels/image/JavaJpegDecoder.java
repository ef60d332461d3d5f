package io.headrace.kernels.image;

import io.headrace.kernels.image.jpeg.JpegDecompressor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The JPEG decoder for machines that cannot load native code. Its pixels equal TensorFlow's; it is
 * several times slower. Thread-safe.
 */
final class JavaJpegDecoder implements JpegDecoder {
  @Override
  public @Nullable Pixels decode(byte[] file, Request request) {
    JpegDecompressor.@Nullable Image image = JpegDecompressor.decompress(file, settings(request));
    if (image == null) {
      return null;
    }
    float fraction = (float) image.lines() / image.height();
    if (fraction < Math.min(1, request.acceptableFraction())) {
      return null;
    }
    Pixels pixels = Pixels.of(image.height(), image.width(), image.channels(), image.samples());
    if (image.channels() != 4) {
      return pixels;
    }
    Pixels rgb = CmykToRgb.toRgb(pixels, image.hasAdobeMarker());
    blacken((byte[]) rgb.samples(), image.lines() * image.width() * rgb.channels());
    return rgb;
  }

  /** Makes samples from {@code from} on black, for CMYK without ink is white. */
  private static void blacken(byte[] samples, int from) {
    Arrays.fill(samples, from, samples.length, (byte) 0);
  }

  private static JpegDecompressor.Settings settings(Request request) {
    Window crop = request.crop();
    return new JpegDecompressor.Settings(
        request.channels(),
        request.ratio(),
        request.fancyUpscaling(),
        request.accurate(),
        request.recoverTruncated(),
        crop == null
            ? null
            : new JpegDecompressor.Window(crop.y(), crop.x(), crop.height(), crop.width()));
  }
}
