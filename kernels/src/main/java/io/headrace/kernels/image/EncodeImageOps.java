package io.headrace.kernels.image;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** EncodePng, EncodeJpeg and EncodeJpegVariableQuality: uint8 or uint16 images to files. */
final class EncodeImageOps {
  /** The bound on height and width of a JPEG image; its format has room for 65,535. */
  private static final int MAX_JPEG_SIDE = 65_500;

  private EncodeImageOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("EncodePng(image: T) -> contents: string")
            .attrs("compression: int = -1", "T: {uint8, uint16} = uint8")
            .shape(EncodeImageOps::pngRule)
            .remark("The same pixels, not the same bytes: the JDK's zlib compresses otherwise.")
            .kernel(node -> {
              long level = node.attrs().integer("compression");
              if (level < -1 || level > 9) {
                throw invalidArgument("compression should be in [-1,9], got %d", level);
              }
              return call ->
                  call.setOutput(0, png(call.input(0), (int) level, call.cancellation()));
            }),
        Op.define("EncodeJpeg(image: uint8) -> contents: string")
            .attrs(
                "format: string = \"\"",
                "quality: int = 95",
                "progressive: bool = false",
                "optimize_size: bool = false",
                "chroma_downsampling: bool = true",
                "density_unit: string = \"in\"",
                "x_density: int = 300",
                "y_density: int = 300",
                "xmp_metadata: string = \"\"")
            .shape(EncodeImageOps::jpegRule)
            .kernel(node -> {
              String format = node.attrs().string("format");
              JpegEncoder.Request request = request(node.attrs());
              return call -> call.setOutput(0, jpeg(call.input(0), format, request));
            }),
        Op.define("EncodeJpegVariableQuality(images: uint8, quality: int32) -> contents: string")
            .shape(in -> {
              Shapes.withRank(in.shape(1), 0);
              return jpegRule(in);
            })
            .stateless(call -> {
              Tensor quality = call.input(1);
              checkImage(call.input(0).shape());
              if (quality.shape().rank() != 0) {
                throw invalidArgument("quality must be scalar: %s", quality.shape());
              }
              int value = checkQuality(quality.integer(0));
              call.setOutput(0, jpeg(call.input(0), "", JpegEncoder.Request.ofQuality(value)));
            }));
  }

  private static List<Shape> pngRule(ShapeFunction.Inputs in) {
    Shape image = in.shape(0);
    Shapes.checkRankAtLeast(image, 3);
    return List.of(image.isUnknownRank() ? image : image.sub(0, image.rank() - 3));
  }

  private static List<Shape> jpegRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 3);
    return List.of(Shape.SCALAR);
  }

  /** The files of {@code images}, at zlib's {@code level}; -1 is its default. */
  static Tensor png(Tensor images, int level, Cancellation stop) {
    Shape shape = images.shape();
    if (shape.rank() < 3) {
      throw invalidArgument("images must be at least rank 3%s", shape);
    }
    int last = shape.rank() - 1;
    long channels = shape.size(last);
    if (shape.size(last - 1) * channels >= Integer.MAX_VALUE / 2) {
      throw invalidArgument("image too wide to encode");
    }
    if (channels < 1 || channels > 4) {
      throw invalidArgument("image must have 1, 2, 3, or 4 channels, got %d", channels);
    }
    Shape outer = shape.sub(0, last - 2);
    int height = (int) shape.size(last - 2);
    int width = (int) shape.size(last - 1);
    byte[][] files = (byte[][]) TensorLimit.allocate(DataType.STRING, outer);
    if (files.length > 0 && (height == 0 || width == 0)) {
      throw new StatusException(
          StatusCode.INTERNAL, "PNG encoding failed: the image has no pixels: " + shape);
    }
    PngEncoder encoder = new PngEncoder(height, width, (int) channels, images.dtype().byteSize());
    int size = height * width * (int) channels;
    for (int i = 0; i < files.length; i++) {
      stop.check();
      files[i] =
          encoder.encode(TensorMemory.array(images), TensorMemory.offset(images) + i * size, level);
    }
    return Tensor.wrap(DataType.STRING, outer, files);
  }

  private static int checkQuality(long quality) {
    if (quality < 0 || quality > 100) {
      throw invalidArgument("quality must be in [0,100], got %d", quality);
    }
    return (int) quality;
  }

  private static JpegEncoder.Request request(Attrs attrs) {
    String format = attrs.string("format");
    if (!List.of("", "grayscale", "rgb").contains(format)) {
      throw invalidArgument("format must be '', grayscale or rgb, got %s", format);
    }
    int quality = checkQuality(attrs.integer("quality"));
    String unit = attrs.string("density_unit");
    if (!unit.equals("in") && !unit.equals("cm")) {
      throw invalidArgument("density_unit must be 'in' or 'cm'%s", unit);
    }
    return new JpegEncoder.Request(
        quality,
        attrs.bool("progressive"),
        attrs.bool("optimize_size"),
        attrs.bool("chroma_downsampling"),
        unit.equals("in") ? 1 : 2,
        density(attrs, "x_density"),
        density(attrs, "y_density"),
        attrs.string("xmp_metadata"));
  }

  private static int density(Attrs attrs, String name) {
    long density = attrs.integer(name);
    if (density < 0 || density > 0xFFFF) {
      throw invalidArgument("%s must be in [0,65535], got %d", name, density);
    }
    return (int) density;
  }

  private static void checkImage(Shape shape) {
    if (shape.rank() != 3) {
      throw invalidArgument("image must be 3-dimensional%s", shape);
    }
  }

  /** The file of {@code image}, at {@code quality} and the defaults of EncodeJpeg. */
  static Tensor jpeg(Tensor image, int quality) {
    return jpeg(image, "", JpegEncoder.Request.ofQuality(checkQuality(quality)));
  }

  private static Tensor jpeg(Tensor image, String format, JpegEncoder.Request request) {
    Shape shape = image.shape();
    checkImage(shape);
    int channels = (int) shape.size(2);
    if (format.isEmpty() && channels != 1 && channels != 3) {
      throw invalidArgument("image must have 1 or 3 channels, got %s", shape);
    }
    int expected = format.equals("grayscale") ? 1 : 3;
    if (!format.isEmpty() && channels != expected) {
      throw invalidArgument("format %s expects %d channels, got %s", format, expected, shape);
    }
    long pixels = shape.size(0) * shape.size(1);
    if (pixels == 0 || Math.max(shape.size(0), shape.size(1)) > MAX_JPEG_SIDE) {
      throw new StatusException(
          StatusCode.INTERNAL,
          "JPEG encoding failed: height and width must be 1 to %d, and are %s"
              .formatted(MAX_JPEG_SIDE, shape));
    }
    byte[] samples = (byte[]) TensorMemory.array(image.detach());
    return Tensor.wrap(
        JpegEncoder.encode(samples, (int) shape.size(0), (int) shape.size(1), channels, request));
  }
}
