package io.headrace.kernels.image;

import io.headrace.kernels.image.webp.WebpFile;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * DecodeJpeg, DecodeAndCropJpeg, DecodePng, DecodeBmp, DecodeGif, DecodeWebP and DecodeImage. As in
 * TensorFlow, the format comes from the file's first bytes, and most of these ops accept several
 * formats.
 */
final class DecodeImageOps {
  private static final String[] JPEG_ATTRS = {
    "channels: int = 0",
    "ratio: int = 1",
    "fancy_upscaling: bool = true",
    "try_recover_truncated: bool = false",
    "acceptable_fraction: float = 1.0",
    "dct_method: string = \"\""
  };

  private DecodeImageOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DecodeJpeg(contents: string) -> image: uint8")
            .attrs(JPEG_ATTRS)
            .shape(DecodeImageOps::infer)
            .kernel(node -> new Decode(node)),
        Op.define("DecodeAndCropJpeg(contents: string, crop_window: int32) -> image: uint8")
            .attrs(JPEG_ATTRS)
            .shape(DecodeImageOps::inferCrop)
            .kernel(node -> new Decode(node)),
        Op.define("DecodePng(contents: string) -> image: dtype")
            .attrs("channels: int = 0", "dtype: {uint8, uint16} = uint8")
            .shape(DecodeImageOps::infer)
            .remark("A gamma value in the file does not count where colors are made gray.")
            .kernel(node -> new Decode(node)),
        Op.define("DecodeBmp(contents: string) -> image: uint8")
            .attrs("channels: int = 0")
            .shape(DecodeImageOps::infer)
            .kernel(node -> new Decode(node)),
        Op.define("DecodeGif(contents: string) -> image: uint8")
            .shape(_ -> List.of(Shape.of(-1, -1, -1, 3)))
            .kernel(node -> new Decode(node)),
        Op.define("DecodeWebP(contents: string) -> image: dtype")
            .attrs("channels: int = 0", "dtype: {uint8} = uint8")
            .shape(DecodeImageOps::inferWebp)
            .remark(
                "Lossy images need libwebp, which comes for Linux. An animation without alpha has"
                    + " four channels; stock gives it three, and writes past them.")
            .kernel(node -> new Decode(node)),
        Op.define("DecodeImage(contents: string) -> image: dtype")
            .attrs(
                "channels: int = 0",
                "dtype: {uint8, uint16, float} = uint8",
                "expand_animations: bool = true")
            .shape(inputs ->
                inputs.attrs().bool("expand_animations") ? List.of(Shape.UNKNOWN) : infer(inputs))
            .kernel(node -> new Decode(node)));
  }

  private static long channels(ShapeFunction.Inputs inputs) {
    long channels = inputs.attrs().integer("channels");
    if (channels < 0) {
      throw StatusException.invalidArgument("channels must be non-negative, got %d", channels);
    }
    return channels == 0 ? Shape.UNKNOWN_DIMENSION : channels;
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    return List.of(Shape.of(-1, -1, channels(inputs)));
  }

  private static List<Shape> inferWebp(ShapeFunction.Inputs inputs) {
    long channels = channels(inputs);
    return List.of(Shape.of(-1, -1, -1, channels));
  }

  private static List<Shape> inferCrop(ShapeFunction.Inputs inputs) {
    @Nullable Tensor window = inputs.constant(1);
    if (window == null || window.elements() != 4) {
      return List.of(Shape.of(-1, -1, channels(inputs)));
    }
    return List.of(Shape.of(window.integer(2), window.integer(3), channels(inputs)));
  }

  /** The kernel of all decode ops, which differ in the formats they accept and in their attrs. */
  private static final class Decode implements Kernel.Sync {
    private final String op;
    private final int channels;
    private final DataType dtype;
    private final boolean expandAnimations;
    private final JpegDecoder.Request jpeg;

    Decode(NodeSpec node) {
      Attrs attrs = node.attrs();
      this.op = node.op().name();
      this.channels = op.equals("DecodeGif") ? 3 : checkedChannels(attrs.integer("channels"));
      this.dtype = node.outputTypes().getFirst();
      this.expandAnimations = !attrs.has("expand_animations") || attrs.bool("expand_animations");
      this.jpeg = attrs.has("ratio") ? request(node) : JpegDecoder.Request.ofChannels(channels);
    }

    private static int checkedChannels(long channels) {
      if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
        throw StatusException.invalidArgument(
            "`channels` must be 0, 1, 3 or 4 but got %d", channels);
      }
      return (int) channels;
    }

    private JpegDecoder.Request request(NodeSpec node) {
      Attrs attrs = node.attrs();
      long ratio = attrs.integer("ratio");
      if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
        throw StatusException.invalidArgument("ratio must be 1, 2, 4, or 8, got %d", ratio);
      }
      String method = attrs.string("dct_method");
      if (!List.of("", "INTEGER_FAST", "INTEGER_ACCURATE").contains(method)) {
        throw StatusException.invalidArgument(
            "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
      }
      return new JpegDecoder.Request(
          channels,
          (int) ratio,
          attrs.bool("fancy_upscaling"),
          method.equals("INTEGER_ACCURATE"),
          attrs.bool("try_recover_truncated"),
          attrs.floating("acceptable_fraction"),
          null);
    }

    @Override
    public void compute(KernelCall call) {
      Tensor contents = call.input(0);
      if (contents.shape().rank() != 0) {
        throw StatusException.invalidArgument(
            "`contents` must be scalar but got shape%s", contents.shape());
      }
      byte[] file = contents.string(0);
      if (file.length == 0) {
        throw StatusException.invalidArgument("Input is empty.");
      }
      ImageFormat format = ImageFormat.of(file);
      checkAccepted(format);
      Pixels pixels = decode(file, format, call);
      call.setOutput(0, pixels.toTensor(dtype, hasFrames(format)));
    }

    /** Whether the output has a dimension of frames, be there only one. */
    private boolean hasFrames(ImageFormat format) {
      return switch (format) {
        case WEBP -> expandAnimations;
        case GIF -> op.equals("DecodeGif") || (op.equals("DecodeImage") && expandAnimations);
        case JPEG, PNG, BMP, UNKNOWN -> op.equals("DecodeGif");
      };
    }

    private void checkAccepted(ImageFormat format) {
      if (format == ImageFormat.UNKNOWN) {
        throw StatusException.invalidArgument(
            "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.");
      }
      if (format == ImageFormat.WEBP) {
        return; // each op decodes it
      }
      boolean isBmp = format == ImageFormat.BMP;
      if (op.equals("DecodeBmp") && !isBmp) {
        throw StatusException.invalidArgument(
            "Trying to decode %s format using DecodeBmp op. Use `decode_%s` or `decode_image`"
                + " instead.",
            format, format.name().toLowerCase(Locale.ROOT));
      }
      if (op.equals("DecodeAndCropJpeg") && format != ImageFormat.JPEG) {
        throw StatusException.invalidArgument(
            "DecodeAndCropJpeg operation can run on JPEG only, but detected %s.", format);
      }
      if (isBmp && channels != 1 && !op.equals("DecodeBmp") && !op.equals("DecodeImage")) {
        throw StatusException.invalidArgument(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image`"
                + " instead. Op used: %s",
            op);
      }
    }

    private Pixels decode(byte[] file, ImageFormat format, KernelCall call) {
      return switch (format) {
        case JPEG -> decodeJpeg(file, call);
        case PNG -> PngDecoder.decode(file, channels, dtype != DataType.UINT8);
        case BMP -> BmpDecoder.decode(file, channels);
        case GIF -> decodeGif(file);
        case WEBP -> decodeWebp(file, call.cancellation());
        case UNKNOWN -> throw new AssertionError("refused before");
      };
    }

    private Pixels decodeWebp(byte[] file, Cancellation stop) {
      if (channels == 1) {
        throw StatusException.invalidArgument("WebP only supports 3 or 4 channels");
      }
      if (dtype != DataType.UINT8) {
        throw StatusException.invalidArgument("WebP only supports uint8 for dtype");
      }
      WebpFile webp = WebpFile.open(file);
      if (channels != 0 && channels != webp.channels()) {
        throw StatusException.invalidArgument("Number of channels requested does not match input");
      }
      if (webp.isAnimated() && channels == 3) {
        throw StatusException.invalidArgument("WebP Animation must be 4 channel RGBA");
      }
      WebpFile.Pictures pictures = webp.decode(expandAnimations, NativeWebpDecoder.orNone(), stop);
      return new Pixels(
          pictures.count(),
          pictures.height(),
          pictures.width(),
          pictures.channels(),
          pictures.samples());
    }

    private Pixels decodeGif(byte[] file) {
      if (channels != 0 && channels != 3) {
        throw StatusException.invalidArgument("channels must be 0 or 3 for GIF, got %d", channels);
      }
      Pixels pixels = GifDecoder.decode(file, expandAnimations);
      boolean single = op.equals("DecodePng") || op.equals("DecodeJpeg");
      if (single && pixels.frames() != 1) {
        throw StatusException.invalidArgument(
            "Got %d frames, but animated gifs can only be decoded by tf.io.decode_gif or"
                + " tf.io.decode_image",
            pixels.frames());
      }
      if (!single && !op.equals("DecodeGif") && !op.equals("DecodeImage")) {
        throw StatusException.invalidArgument("Bad op type %s", op);
      }
      return pixels;
    }

    private Pixels decodeJpeg(byte[] file, KernelCall call) {
      if (channels == 4) {
        throw StatusException.invalidArgument("JPEG does not support 4 channels");
      }
      boolean crops = op.equals("DecodeAndCropJpeg");
      JpegDecoder.Window window = crops ? window(call.input(1)) : null;
      @Nullable Pixels pixels = NativeJpegDecoder.orJava().decode(file, jpeg.cropped(window));
      if (pixels == null) {
        throw StatusException.invalidArgument(
            "jpeg::Uncompress failed. Invalid JPEG data or crop window.");
      }
      return pixels;
    }

    private static JpegDecoder.Window window(Tensor window) {
      if (window.shape().rank() != 1) {
        throw StatusException.invalidArgument(
            "crop_window must be 1-D, got shape %s", window.shape());
      }
      if (window.elements() != 4) {
        throw StatusException.invalidArgument(
            "crop_size must have four elements %s", window.shape());
      }
      int[] sides = window.ints();
      return new JpegDecoder.Window(sides[0], sides[1], sides[2], sides[3]);
    }
  }
}
