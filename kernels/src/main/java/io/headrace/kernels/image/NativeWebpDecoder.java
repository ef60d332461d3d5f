package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headrace.kernels.image.webp.LossyDecoder;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * libwebp's decoder of lossy images. File and pixels pass through native memory, so that no garbage
 * collection waits for it. It never sees a lossless image, or alpha, whose decoder in this version
 * of libwebp is not safe. Thread-safe.
 */
final class NativeWebpDecoder implements LossyDecoder {
  /** "RIFF" and the size, "WEBP", "VP8 " and the size. */
  private static final int HEADER_BYTES = 20;

  private static final ValueLayout.OfInt SIZE =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MethodHandle toRgb;
  private final MethodHandle toRgba;

  private NativeWebpDecoder(SymbolLookup library) {
    toRgb = function(library, "WebPDecodeRGBInto");
    toRgba = function(library, "WebPDecodeRGBAInto");
  }

  @SuppressWarnings("restricted") // the signature is that of webp/decode.h
  private static MethodHandle function(SymbolLookup library, String name) {
    MemorySegment symbol =
        library
            .find(name)
            .orElseThrow(() -> new IllegalArgumentException("it has no function " + name));
    return Linker.nativeLinker()
        .downcallHandle(
            symbol,
            FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT));
  }

  /** The decoder of this process, made on first use. */
  private static final class Found {
    static final LossyDecoder DECODER = find();
  }

  /** libwebp's decoder; one that fails with UNIMPLEMENTED where that library is missing. */
  static LossyDecoder orNone() {
    return Found.DECODER;
  }

  private static LossyDecoder find() {
    try {
      return new NativeWebpDecoder(ImageLibrary.symbols());
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      return missing(why);
    }
  }

  /** A decoder that says that libwebp cannot be loaded, and {@code why}. */
  static LossyDecoder missing(String why) {
    return (_, _, _, _, _) -> {
      throw new StatusException(
          StatusCode.UNIMPLEMENTED,
          "lossy WebP images are decoded by libwebp, which cannot be loaded: " + why);
    };
  }

  @Override
  public boolean decode(Frame frame, int width, int height, int channels, byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment in = framed(frame, arena);
      MemorySegment pixels = arena.allocate(out.length);
      MethodHandle decode = channels == 4 ? toRgba : toRgb;
      MemorySegment result =
          (MemorySegment)
              decode.invokeExact(in, in.byteSize(), pixels, pixels.byteSize(), width * channels);
      if (result.equals(MemorySegment.NULL)) {
        return false;
      }
      MemorySegment.copy(pixels, JAVA_BYTE, 0, out, 0, out.length);
      return true;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  /** A file of {@code frame} only, so that libwebp takes it for nothing else. */
  private static MemorySegment framed(Frame frame, Arena arena) {
    int length = frame.to() - frame.from();
    MemorySegment file = arena.allocate((long) HEADER_BYTES + length);
    MemorySegment.copy(
        "RIFF____WEBPVP8 ".getBytes(US_ASCII), 0, file, JAVA_BYTE, 0, HEADER_BYTES - 4);
    file.set(SIZE, 4, HEADER_BYTES - 8 + length);
    file.set(SIZE, HEADER_BYTES - 4, frame.size());
    MemorySegment.copy(frame.file(), frame.from(), file, JAVA_BYTE, HEADER_BYTES, length);
    return file;
  }
}
