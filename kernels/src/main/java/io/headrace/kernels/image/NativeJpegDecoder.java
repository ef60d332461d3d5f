package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The JPEG decoder of libjpeg-turbo, with TensorFlow's pixels. File and rows pass through buffers
 * in native memory, some rows at a time, so that no garbage collection waits for a decoder. Beyond
 * TensorFlow's own bounds, an image has at most 500 scans, and its coefficients at most four times
 * the bytes of the largest tensor. Thread-safe.
 */
final class NativeJpegDecoder implements JpegDecoder {
  private static final System.Logger LOGGER = System.getLogger(NativeJpegDecoder.class.getName());

  private static final int FAILED = -1;
  private static final int MAX_SCANS = 500;

  /** The coefficients of the largest image, 2 bytes each, with the blocks at its edges. */
  private static final long MAX_COEFFICIENT_BYTES = 5L << 28;

  /** The sizes of {@code struct options} and {@code struct header} of jpeg.c. */
  private static final long OPTIONS_BYTES = 32;

  private static final long HEADER_BYTES = 32;

  /** Room after the rows: a library that writes whole vectors stays within the buffer. */
  private static final int MARGIN_BYTES = 64;

  /** Rows are decoded into a buffer of this size, or of one row. */
  private static final int STRIP_BYTES = 1 << 16;

  /** Decoders with larger buffers are closed after use instead of kept for the next image. */
  private static final long MAX_KEPT_BYTES = 64L << 20;

  private final MethodHandle create;
  private final MethodHandle open;
  private final MethodHandle start;
  private final MethodHandle read;
  private final MethodHandle finish;
  private final MethodHandle close;
  private final MethodHandle delete;
  private final MethodHandle message;
  private final BlockingQueue<Decoder> idle =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  NativeJpegDecoder(JpegLibrary library) {
    create = library.function("headrace_jpeg_new_decoder", ADDRESS);
    open =
        library.function(
            "headrace_jpeg_open", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    start =
        library.function(
            "headrace_jpeg_start", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    read = library.function("headrace_jpeg_read", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    finish = library.function("headrace_jpeg_finish", JAVA_INT, ADDRESS);
    close = library.procedure("headrace_jpeg_close", ADDRESS);
    delete = library.procedure("headrace_jpeg_delete_decoder", ADDRESS);
    message = library.function("headrace_jpeg_decoder_message", ADDRESS, ADDRESS);
  }

  /** The decoder of this process, made on first use. */
  private static final class Found {
    static final JpegDecoder DECODER =
        JpegLibrary.find().<JpegDecoder>map(NativeJpegDecoder::new).orElseGet(JavaJpegDecoder::new);
  }

  /** libjpeg-turbo's decoder, or one in Java where that library is missing. */
  static JpegDecoder orJava() {
    return Found.DECODER;
  }

  @Override
  public @Nullable Pixels decode(byte[] file, Request request) {
    try {
      Decoder decoder = idle.poll();
      if (decoder == null) {
        decoder = new Decoder();
      }
      try {
        return decoder.decode(file, request);
      } finally {
        close.invokeExact(decoder.handle);
        if (decoder.capacity() > MAX_KEPT_BYTES || !idle.offer(decoder)) {
          decoder.close();
        }
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  /**
   * One instance of the library's decoder, with native buffers for the file and for rows. Used by
   * one thread at a time.
   */
  private final class Decoder {
    private final MemorySegment handle;
    private final NativeBuffer in = new NativeBuffer();
    private final NativeBuffer strip = new NativeBuffer();
    private final NativeBuffer records = new NativeBuffer();

    Decoder() throws Throwable {
      handle = (MemorySegment) create.invokeExact();
      if (handle.equals(MemorySegment.NULL)) {
        throw new StatusException(StatusCode.RESOURCE_EXHAUSTED, "no JPEG decoder could be made");
      }
    }

    long capacity() {
      return in.capacity() + strip.capacity();
    }

    void close() throws Throwable {
      in.close();
      strip.close();
      records.close();
      delete.invokeExact(handle);
    }

    @Nullable Pixels decode(byte[] file, Request request) throws Throwable {
      MemorySegment data = in.reserve(file.length);
      MemorySegment.copy(file, 0, data, JAVA_BYTE, 0, file.length);
      MemorySegment options = records.reserve(OPTIONS_BYTES + HEADER_BYTES);
      MemorySegment header = options.asSlice(OPTIONS_BYTES, HEADER_BYTES);
      setOptions(options, request);
      if ((int) open.invokeExact(handle, data, (long) file.length, options, header) == FAILED) {
        return refused();
      }
      Image image = Image.of(header);
      Window window = request.crop() == null ? image.all() : request.crop();
      if (image.header.isTooLarge(file.length, request)
          || !window.isWithin(image.height, image.width)) {
        return null;
      }
      int channels = Math.min(3, image.samples);
      byte[] samples = Pixels.allocate(window.height(), window.width(), channels);
      boolean isWhole = decodeRows(image, request, window, samples);
      return isWhole ? Pixels.of(window.height(), window.width(), channels, samples) : null;
    }

    /** Whether enough rows could be decoded. */
    private boolean decodeRows(Image image, Request request, Window window, byte[] samples)
        throws Throwable {
      int rowWidth = start(request.crop());
      int rows = rowWidth == FAILED ? FAILED : readRows(image, rowWidth, window, samples);
      if (rows == FAILED || (int) finish.invokeExact(handle) == FAILED) {
        return refused() != null;
      }
      float least = request.acceptableFraction() < 1 ? request.acceptableFraction() : 1;
      return !((float) rows / window.height() < least);
    }

    private int start(@Nullable Window crop) throws Throwable {
      return crop == null
          ? (int) start.invokeExact(handle, 0, 0, 0, 0)
          : (int) start.invokeExact(handle, crop.x(), crop.y(), crop.width(), crop.height());
    }

    /** Returns how many rows there are, or FAILED; the others remain black. */
    private int readRows(Image image, int rowWidth, Window window, byte[] samples)
        throws Throwable {
      long stride = (long) rowWidth * image.samples;
      int rows = Math.clamp(STRIP_BYTES / stride, 1, window.height());
      MemorySegment lines = strip.reserve(rows * stride + MARGIN_BYTES);
      byte[] inks = new byte[image.isCmyk() ? rows * (int) stride : 0];
      int done = 0;
      while (done < window.height()) {
        int wanted = Math.min(rows, window.height() - done);
        int count = (int) read.invokeExact(handle, lines, stride, wanted);
        if (count == FAILED) {
          return FAILED;
        }
        image.copy(lines, count, rowWidth, inks, samples, done, window.width());
        done += count;
        if (count < wanted) {
          break;
        }
      }
      return done;
    }

    private @Nullable Pixels refused() throws Throwable {
      if (LOGGER.isLoggable(System.Logger.Level.DEBUG)) {
        MemorySegment text = (MemorySegment) message.invokeExact(handle);
        LOGGER.log(
            System.Logger.Level.DEBUG, "a JPEG file is refused: {0}", JpegLibrary.text(text));
      }
      return null;
    }

    private static void setOptions(MemorySegment options, Request request) {
      options.setAtIndex(JAVA_INT, 0, request.channels());
      options.setAtIndex(JAVA_INT, 1, request.ratio());
      options.setAtIndex(JAVA_INT, 2, request.fancyUpscaling() ? 1 : 0);
      options.setAtIndex(JAVA_INT, 3, request.accurate() ? 1 : 0);
      options.setAtIndex(JAVA_INT, 4, request.recoverTruncated() ? 1 : 0);
      options.setAtIndex(JAVA_INT, 5, MAX_SCANS);
      long bound = Math.min(MAX_COEFFICIENT_BYTES, 4 * TensorLimit.maxBytes());
      options.set(JAVA_LONG, 6 * Integer.BYTES, bound);
    }
  }

  /**
   * An image as it is decoded.
   *
   * @param width in pixels, downscaled
   * @param height in pixels, downscaled
   * @param samples a pixel's: 1, 3, or 4 for CMYK
   */
  private record Image(JpegHeader header, int width, int height, int samples) {
    /** The image that the {@code struct header} of jpeg.c describes. */
    static Image of(MemorySegment header) {
      int width = header.getAtIndex(JAVA_INT, 0);
      int height = header.getAtIndex(JAVA_INT, 1);
      int components = header.getAtIndex(JAVA_INT, 2);
      boolean isArithmetic = header.getAtIndex(JAVA_INT, 3) != 0;
      boolean hasAdobeMarker = header.getAtIndex(JAVA_INT, 4) != 0;
      return new Image(
          new JpegHeader(height, width, components, isArithmetic, hasAdobeMarker),
          header.getAtIndex(JAVA_INT, 5),
          header.getAtIndex(JAVA_INT, 6),
          header.getAtIndex(JAVA_INT, 7));
    }

    boolean isCmyk() {
      return samples == 4;
    }

    Window all() {
      return new Window(0, 0, height, width);
    }

    /**
     * Copies the last {@code width} pixels of {@code rows} rows of {@code rowWidth} to row {@code
     * first} of {@code out} and what follows; CMYK by way of {@code inks}.
     */
    void copy(
        MemorySegment lines,
        int rows,
        int rowWidth,
        byte[] inks,
        byte[] out,
        int first,
        int width) {
      int stride = rowWidth * samples;
      int margin = (rowWidth - width) * samples;
      if (isCmyk()) {
        MemorySegment.copy(lines, JAVA_BYTE, 0, inks, 0, rows * stride);
        for (int row = 0; row < rows; row++) {
          int to = (first + row) * width * 3;
          CmykToRgb.toRgb(inks, row * stride + margin, out, to, width, header.hasAdobeMarker());
        }
      } else if (margin == 0) {
        MemorySegment.copy(lines, JAVA_BYTE, 0, out, first * stride, rows * stride);
      } else {
        int bytes = width * samples;
        for (int row = 0; row < rows; row++) {
          long from = (long) row * stride + margin;
          MemorySegment.copy(lines, JAVA_BYTE, from, out, (first + row) * bytes, bytes);
        }
      }
    }
  }
}
