package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The JPEG encoder of libjpeg-turbo. Pixels and file pass through native memory, so that no garbage
 * collection waits for an encoder. Thread-safe.
 */
final class NativeJpegEncoder {
  private static final long FAILED = -1;

  /** The fields of {@code struct encoding} of jpeg.c. */
  private static final int OPTIONS = 7;

  /** Encoders of larger images are closed after use instead of kept for the next one. */
  private static final long MAX_KEPT_BYTES = 64L << 20;

  private final MethodHandle create;
  private final MethodHandle encode;
  private final MethodHandle encoded;
  private final MethodHandle delete;
  private final MethodHandle message;
  private final BlockingQueue<Encoder> idle =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  private NativeJpegEncoder(JpegLibrary library) {
    create = library.function("headrace_jpeg_new_encoder", ADDRESS);
    encode =
        library.function(
            "headrace_jpeg_encode",
            JAVA_LONG,
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            ADDRESS);
    encoded = library.function("headrace_jpeg_encoded", ADDRESS, ADDRESS);
    delete = library.procedure("headrace_jpeg_delete_encoder", ADDRESS);
    message = library.function("headrace_jpeg_encoder_message", ADDRESS, ADDRESS);
  }

  /** The encoder of this process, made on first use. */
  private static final class Found {
    static final Optional<NativeJpegEncoder> ENCODER =
        JpegLibrary.find().map(NativeJpegEncoder::new);
  }

  /** The encoder, if this platform has its library. */
  static Optional<NativeJpegEncoder> find() {
    return Found.ENCODER;
  }

  /** Encodes {@code height} by {@code width} pixels of 1 or 3 channels, without XMP metadata. */
  byte[] encode(byte[] samples, int height, int width, int channels, JpegEncoder.Request request) {
    try {
      Encoder encoder = idle.poll();
      if (encoder == null) {
        encoder = new Encoder();
      }
      boolean isKept = false;
      try {
        byte[] file = encoder.encode(samples, height, width, channels, request);
        isKept = encoder.capacity() <= MAX_KEPT_BYTES && idle.offer(encoder);
        return file;
      } finally {
        if (!isKept) {
          encoder.close();
        }
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  /** One instance of the library's encoder. Used by one thread at a time. */
  private final class Encoder {
    private final MemorySegment handle;
    private final NativeBuffer pixels = new NativeBuffer();
    private final NativeBuffer options = new NativeBuffer();

    Encoder() throws Throwable {
      handle = (MemorySegment) create.invokeExact();
      if (handle.equals(MemorySegment.NULL)) {
        throw new StatusException(StatusCode.RESOURCE_EXHAUSTED, "no JPEG encoder could be made");
      }
    }

    long capacity() {
      return pixels.capacity();
    }

    void close() throws Throwable {
      pixels.close();
      options.close();
      delete.invokeExact(handle);
    }

    @SuppressWarnings("restricted") // the file, whose length is what jpeg.c says
    byte[] encode(byte[] samples, int height, int width, int channels, JpegEncoder.Request request)
        throws Throwable {
      MemorySegment rows = pixels.reserve(samples.length);
      MemorySegment.copy(samples, 0, rows, JAVA_BYTE, 0, samples.length);
      long length =
          (long) encode.invokeExact(handle, rows, width, height, channels, optionsOf(request));
      if (length == FAILED) {
        String text = JpegLibrary.text((MemorySegment) message.invokeExact(handle));
        throw new StatusException(StatusCode.INTERNAL, "JPEG encoding failed: " + text);
      }
      MemorySegment file = (MemorySegment) encoded.invokeExact(handle);
      return file.reinterpret(length).toArray(JAVA_BYTE);
    }

    private MemorySegment optionsOf(JpegEncoder.Request request) {
      MemorySegment struct = options.reserve(OPTIONS * (long) Integer.BYTES);
      struct.setAtIndex(JAVA_INT, 0, request.quality());
      struct.setAtIndex(JAVA_INT, 1, request.progressive() ? 1 : 0);
      struct.setAtIndex(JAVA_INT, 2, request.optimize() ? 1 : 0);
      struct.setAtIndex(JAVA_INT, 3, request.downsample() ? 1 : 0);
      struct.setAtIndex(JAVA_INT, 4, request.densityUnit());
      struct.setAtIndex(JAVA_INT, 5, request.densityX());
      struct.setAtIndex(JAVA_INT, 6, request.densityY());
      return struct;
    }
  }
}
