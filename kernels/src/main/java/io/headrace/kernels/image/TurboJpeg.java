package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The JPEG decoder of the installed libjpeg-turbo, called through the foreign function API.
 * TensorFlow decodes with the same library, so pixels are equal bit for bit. Thread-safe.
 */
public final class TurboJpeg implements JpegDecoder {
  private static final String[] LIBRARIES = {
    "libturbojpeg.so.0", "libturbojpeg.so", "libturbojpeg.dylib"
  };
  private static final int GRAY = 6;
  private static final int RGB = 0;
  private static final int CMYK = 11;
  private static final int FAST_UPSAMPLING = 256;
  private static final int FAST_DCT = 2048;
  private static final int ACCURATE_DCT = 4096;
  private static final int LIMIT_SCANS = 32768;
  private static final int WARNING = 0;

  /** Decoders with larger buffers are closed after use instead of kept for the next image. */
  private static final long MAX_KEPT_BYTES = 64L << 20;

  private final MethodHandle create;
  private final MethodHandle decompress;
  private final MethodHandle errorCode;
  private final MethodHandle destroy;
  private final BlockingQueue<Decoder> idle =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  private TurboJpeg(SymbolLookup library) {
    create = function(library, "tjInitDecompress", ADDRESS);
    decompress =
        function(
            library,
            "tjDecompress2",
            JAVA_INT,
            ADDRESS,
            ADDRESS,
            JAVA_LONG,
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT);
    errorCode = function(library, "tjGetErrorCode", JAVA_INT, ADDRESS);
    destroy = function(library, "tjDestroy", JAVA_INT, ADDRESS);
  }

  /** The library, if it is installed. */
  @SuppressWarnings("restricted") // the names are libjpeg-turbo's alone
  public static Optional<JpegDecoder> find() {
    for (String name : LIBRARIES) {
      try {
        return Optional.of(new TurboJpeg(SymbolLookup.libraryLookup(name, Arena.global())));
      } catch (IllegalArgumentException _) {
        // No library of this name, or it lacks a function because it is too old.
      }
    }
    return Optional.empty();
  }

  @SuppressWarnings("restricted") // the signatures are those of turbojpeg.h
  private static MethodHandle function(
      SymbolLookup library, String name, MemoryLayout result, MemoryLayout... arguments) {
    MemorySegment symbol =
        library.find(name).orElseThrow(() -> new IllegalArgumentException("no " + name));
    return Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(result, arguments));
  }

  @Override
  public @Nullable Pixels decode(byte[] file, Request request) {
    requireAllRows(request);
    @Nullable JpegHeader header = JpegHeader.parse(file);
    if (header == null
        || header.channels(request.channels()) == 0
        || header.isTooLarge(file.length, request)) {
      return null;
    }
    @Nullable Pixels pixels = decode(file, header, request);
    return pixels == null || request.crop() == null ? pixels : pixels.crop(request.crop());
  }

  private @Nullable Pixels decode(byte[] file, JpegHeader header, Request request) {
    Decoder decoder = idle.poll();
    if (decoder == null) {
      decoder = new Decoder();
    }
    try {
      return decoder.decode(file, header, request);
    } finally {
      if (decoder.capacity() > MAX_KEPT_BYTES || !idle.offer(decoder)) {
        decoder.close();
      }
    }
  }

  static void requireAllRows(Request request) {
    if (request.acceptableFraction() < 1 && !request.recoverTruncated()) {
      throw StatusException.unimplemented(
          "acceptable_fraction below 1 is not supported; try_recover_truncated takes images that"
              + " are cut off");
    }
  }

  /** The result of tjDecompress2. */
  private enum Outcome {
    DONE,
    DONE_WITH_WARNING,
    FAILED
  }

  /**
   * One instance of the library's decoder, with a native buffer for the file and the pixels. Used
   * by one thread at a time.
   */
  private final class Decoder {
    private final MemorySegment handle;
    private Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;

    Decoder() {
      try {
        handle = (MemorySegment) create.invokeExact();
      } catch (Throwable e) {
        throw new AssertionError("a C function does not throw", e);
      }
      if (handle.equals(MemorySegment.NULL)) {
        throw new StatusException(StatusCode.RESOURCE_EXHAUSTED, "no JPEG decoder could be made");
      }
    }

    long capacity() {
      return memory.byteSize();
    }

    @Nullable Pixels decode(byte[] file, JpegHeader header, Request request) {
      int height = (header.height() + request.ratio() - 1) / request.ratio();
      int width = (header.width() + request.ratio() - 1) / request.ratio();
      int channels = header.channels(request.channels());
      boolean fourColors = header.components() == 4 && channels == 3;
      byte[] samples = Pixels.allocate(height, width, fourColors ? 4 : channels);
      int format = fourColors ? CMYK : channels == 1 ? GRAY : RGB;
      Outcome outcome = decompress(file, samples, width, height, format, flags(request));
      boolean usable =
          switch (outcome) {
            case DONE -> true;
            case FAILED -> false;
            case DONE_WITH_WARNING -> request.recoverTruncated() || JpegHeader.isComplete(file);
          };
      if (!usable) {
        return null;
      }
      Pixels pixels = Pixels.of(height, width, fourColors ? 4 : channels, samples);
      return fourColors ? CmykToRgb.toRgb(pixels, header.hasAdobeMarker()) : pixels;
    }

    private static int flags(Request request) {
      return LIMIT_SCANS
          | (request.fancyUpscaling() ? 0 : FAST_UPSAMPLING)
          | (request.accurate() ? ACCURATE_DCT : FAST_DCT);
    }

    private Outcome decompress(
        byte[] file, byte[] samples, int width, int height, int format, int flags) {
      reserve((long) file.length + samples.length);
      MemorySegment in = memory.asSlice(0, file.length);
      MemorySegment out = memory.asSlice(file.length, samples.length);
      MemorySegment.copy(file, 0, in, JAVA_BYTE, 0, file.length);
      try {
        int rc =
            (int)
                decompress.invokeExact(
                    handle, in, (long) file.length, out, width, 0, height, format, flags);
        boolean warned = rc != 0 && (int) errorCode.invokeExact(handle) == WARNING;
        if (rc != 0 && !warned) {
          return Outcome.FAILED;
        }
        MemorySegment.copy(out, JAVA_BYTE, 0, samples, 0, samples.length);
        return warned ? Outcome.DONE_WITH_WARNING : Outcome.DONE;
      } catch (Throwable e) {
        throw new AssertionError("a C function does not throw", e);
      }
    }

    private void reserve(long bytes) {
      if (bytes > memory.byteSize()) {
        arena.close();
        arena = Arena.ofShared();
        memory = arena.allocate(bytes);
      }
    }

    void close() {
      arena.close();
      try {
        int unused = (int) destroy.invokeExact(handle);
        assert unused <= 0;
      } catch (Throwable e) {
        throw new AssertionError("a C function does not throw", e);
      }
    }
  }
}
