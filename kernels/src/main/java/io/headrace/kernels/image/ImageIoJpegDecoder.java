package io.headrace.kernels.image;

import io.headrace.runtime.status.StatusException;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's JPEG decoder, the fallback for machines without libjpeg-turbo. With dct_method
 * INTEGER_ACCURATE its pixels equal TensorFlow's; it has no fast DCT, TensorFlow's default, so its
 * pixels then differ by a few levels. It is several times slower. Thread-safe.
 */
final class ImageIoJpegDecoder implements JpegDecoder {
  private static final System.Logger LOGGER = System.getLogger(ImageIoJpegDecoder.class.getName());

  private final AtomicBoolean isLogged = new AtomicBoolean();

  @Override
  public @Nullable Pixels decode(byte[] file, Request request) {
    @Nullable JpegHeader header = JpegHeader.parse(file);
    if (header == null
        || header.channels(request.channels()) == 0
        || header.isTooLarge(file.length, request)) {
      return null;
    }
    boolean requiresAll = request.acceptableFraction() >= 1 || request.recoverTruncated();
    if (request.ratio() != 1 || !request.fancyUpscaling() || !requiresAll) {
      throw StatusException.unimplemented(
          "decoding JPEG with ratio=%d, fancy_upscaling=%b, acceptable_fraction=%s needs"
              + " libjpeg-turbo, which cannot be loaded on this platform",
          request.ratio(), request.fancyUpscaling(), request.acceptableFraction());
    }
    if (!request.accurate() && !isLogged.getAndSet(true)) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "JPEG images are decoded by the JDK and differ from TensorFlow's by a few levels unless"
              + " dct_method is INTEGER_ACCURATE");
    }
    Pixels.allocate(header.height(), header.width(), Math.max(3, header.components()));
    ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
    try (var in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
      AtomicBoolean hasWarning = new AtomicBoolean();
      reader.addIIOReadWarningListener((_, _) -> hasWarning.set(true));
      reader.setInput(in, true, true);
      Pixels pixels = read(reader, header, request);
      boolean damaged =
          hasWarning.get() && !JpegHeader.isComplete(file) && !request.recoverTruncated();
      if (damaged) {
        return null;
      }
      return request.crop() == null ? pixels : pixels.crop(request.crop());
    } catch (IOException | RuntimeException _) {
      return null; // ImageIO throws either where data is damaged
    } finally {
      reader.dispose();
    }
  }

  private static Pixels read(ImageReader reader, JpegHeader header, Request request)
      throws IOException {
    int channels = header.channels(request.channels());
    boolean raw = header.components() == 4 || channels == 1;
    Raster raster = raw ? reader.readRaster(0, null) : reader.read(0).getRaster();
    int bands = header.components() == 4 ? 4 : channels;
    byte[] samples = Pixels.allocate(raster.getHeight(), raster.getWidth(), bands);
    int[] row = new int[raster.getWidth() * raster.getNumBands()];
    int at = 0;
    for (int y = 0; y < raster.getHeight(); y++) {
      raster.getPixels(raster.getMinX(), raster.getMinY() + y, raster.getWidth(), 1, row);
      for (int x = 0; x < raster.getWidth(); x++) {
        for (int band = 0; band < bands; band++) {
          // A gray image has one band, which is copied to every channel.
          int from = Math.min(band, raster.getNumBands() - 1);
          samples[at++] = (byte) row[x * raster.getNumBands() + from];
        }
      }
    }
    Pixels pixels = Pixels.of(raster.getHeight(), raster.getWidth(), bands, samples);
    return bands == 4 ? CmykToRgb.toRgb(pixels, header.hasAdobeMarker()) : pixels;
  }
}
