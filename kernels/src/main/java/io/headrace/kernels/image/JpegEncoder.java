package io.headrace.kernels.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.plugins.jpeg.JPEGImageWriteParam;
import javax.imageio.plugins.jpeg.JPEGQTable;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Encodes JPEG files by libjpeg-turbo; where that library is missing, by the JDK's encoder, a
 * libjpeg 6b that is five times slower, with libjpeg's quantization tables for the quality. The
 * files of both equal TensorFlow's byte for byte.
 */
final class JpegEncoder {
  private static final String FORMAT = "javax_imageio_jpeg_image_1.0";
  private static final byte[] XMP_NAMESPACE = "http://ns.adobe.com/xap/1.0/\0".getBytes(US_ASCII);
  private static final int APP1 = 0xFFE1;

  /** The offset after the SOI marker and the JFIF (APP0) segment. */
  private static final int JFIF_END = 2 + 18;

  private static final int MAX_SEGMENT_BYTES = 0xFFFF - 2;

  private JpegEncoder() {}

  /**
   * Encode options, after the attrs of EncodeJpeg.
   *
   * @param quality 0 to 100
   * @param progressive whether to write a progressive JPEG
   * @param optimize whether to compute Huffman tables for the image
   * @param downsample whether chroma has half the width and height
   * @param densityUnit 1 for dots per inch, 2 for dots per centimeter
   * @param densityX horizontal pixel density
   * @param densityY vertical pixel density
   * @param xmp XMP metadata to embed; none if empty
   */
  record Request(
      int quality,
      boolean progressive,
      boolean optimize,
      boolean downsample,
      int densityUnit,
      int densityX,
      int densityY,
      String xmp) {
    /** The defaults of EncodeJpeg's attrs, with {@code quality}. */
    static Request ofQuality(int quality) {
      return new Request(quality, false, false, true, 1, 300, 300, "");
    }
  }

  /** Encodes {@code height} by {@code width} pixels of 1 or 3 channels. */
  static byte[] encode(byte[] samples, int height, int width, int channels, Request request) {
    byte[] file =
        NativeJpegEncoder.find()
            .map(encoder -> encoder.encode(samples, height, width, channels, request))
            .orElseGet(() -> encodeByJdk(samples, height, width, channels, request));
    return withXmp(file, request.xmp);
  }

  /** As {@link #encode}, by the JDK's encoder and without XMP metadata. */
  static byte[] encodeByJdk(byte[] samples, int height, int width, int channels, Request request) {
    BufferedImage image = image(samples, height, width, channels);
    ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (var out = new MemoryCacheImageOutputStream(bytes)) {
      JPEGImageWriteParam param = (JPEGImageWriteParam) writer.getDefaultWriteParam();
      if (request.progressive) {
        param.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
      }
      param.setOptimizeHuffmanTables(request.optimize);
      IIOMetadata metadata =
          writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(image), param);
      Element tree = (Element) metadata.getAsTree(FORMAT);
      applyOptions(tree, request);
      metadata.setFromTree(FORMAT, tree);
      writer.setOutput(out);
      writer.write(null, new IIOImage(image, null, metadata), param);
    } catch (IOException e) {
      throw new StatusException(StatusCode.INTERNAL, "JPEG encoding failed: " + e.getMessage());
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  private static BufferedImage image(byte[] samples, int height, int width, int channels) {
    int space = channels == 1 ? ColorSpace.CS_GRAY : ColorSpace.CS_sRGB;
    ComponentColorModel model =
        new ComponentColorModel(
            ColorSpace.getInstance(space), false, false, Transparency.OPAQUE, DataBuffer.TYPE_BYTE);
    int[] bands = channels == 1 ? new int[] {0} : new int[] {0, 1, 2};
    WritableRaster raster =
        Raster.createInterleavedRaster(
            new DataBufferByte(samples, samples.length),
            width,
            height,
            width * channels,
            channels,
            bands,
            null);
    return new BufferedImage(model, raster, false, null);
  }

  private static void applyOptions(Element tree, Request request) {
    Element jfif = first(tree, "app0JFIF");
    jfif.setAttribute("minorVersion", "1");
    jfif.setAttribute("resUnits", Integer.toString(request.densityUnit));
    jfif.setAttribute("Xdensity", Integer.toString(request.densityX));
    jfif.setAttribute("Ydensity", Integer.toString(request.densityY));
    NodeList tables = tree.getElementsByTagName("dqtable");
    for (int i = 0; i < tables.getLength(); i++) {
      JPEGQTable standard = i == 0 ? JPEGQTable.K1Luminance : JPEGQTable.K2Chrominance;
      ((IIOMetadataNode) tables.item(i)).setUserObject(scaled(standard, request.quality));
    }
    if (!request.downsample) {
      NodeList components = tree.getElementsByTagName("componentSpec");
      for (int i = 0; i < components.getLength(); i++) {
        ((Element) components.item(i)).setAttribute("HsamplingFactor", "1");
        ((Element) components.item(i)).setAttribute("VsamplingFactor", "1");
      }
    }
  }

  private static Element first(Element tree, String name) {
    return (Element) tree.getElementsByTagName(name).item(0);
  }

  /** A standard quantization table scaled to {@code quality} as libjpeg scales it. */
  private static JPEGQTable scaled(JPEGQTable standard, int quality) {
    int bounded = Math.clamp(quality, 1, 100);
    int percent = bounded < 50 ? 5000 / bounded : 200 - 2 * bounded;
    int[] table = standard.getTable();
    for (int i = 0; i < table.length; i++) {
      table[i] = Math.clamp((table[i] * percent + 50) / 100, 1, 255);
    }
    return new JPEGQTable(table);
  }

  /** Inserts {@code xmp} as an APP1 segment after the JFIF segment. */
  private static byte[] withXmp(byte[] file, String xmp) {
    byte[] text = xmp.getBytes(UTF_8);
    if (text.length == 0) {
      return file;
    }
    int length = XMP_NAMESPACE.length + text.length;
    if (length > MAX_SEGMENT_BYTES) {
      throw StatusException.invalidArgument(
          "xmp_metadata must have at most %d bytes, and has %d",
          MAX_SEGMENT_BYTES - XMP_NAMESPACE.length, text.length);
    }
    ByteBuffer out = ByteBuffer.allocate(file.length + length + 4);
    out.put(file, 0, JFIF_END).putShort((short) APP1).putShort((short) (length + 2));
    out.put(XMP_NAMESPACE).put(text).put(file, JFIF_END, file.length - JFIF_END);
    return out.array();
  }
}
