package io.headrace.kernels.image;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.headrace.kernels.kit.UnpackedLibraries;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * libjpeg-turbo, called through {@code libheadrace-jpeg.so} (src/main/c/jpeg.c), which turns its
 * errors into return codes. It is a part of {@link ImageLibrary}. TensorFlow's pixels come from the
 * same library, so they are equal bit for bit. The system property {@code headrace.jpeg=java} turns
 * it off. Thread-safe.
 */
final class JpegLibrary {
  private static final String INTERFACE = "libheadrace-jpeg.so";

  /** The system property whose value "java" turns the library off. */
  private static final String PROPERTY = "headrace.jpeg";

  /** The size of a message, with its terminating 0: libjpeg's JMSG_LENGTH_MAX. */
  private static final int MESSAGE_BYTES = 200;

  private final SymbolLookup functions;

  private JpegLibrary(SymbolLookup functions) {
    this.functions = functions;
  }

  /** The library, loaded on first use. */
  private static final class Found {
    static final Optional<JpegLibrary> LIBRARY = load();
  }

  /** The library, if this platform has it; a warning is logged once if not. */
  static Optional<JpegLibrary> find() {
    return Found.LIBRARY;
  }

  private static Optional<JpegLibrary> load() {
    if ("java".equals(System.getProperty(PROPERTY))) {
      return Optional.empty();
    }
    try (UnpackedLibraries unpacked = new UnpackedLibraries()) {
      SymbolLookup library = ImageLibrary.symbols();
      String platform = UnpackedLibraries.platform();
      Path functions = unpacked.unpack("/io/headrace/kernels/image/" + platform + "/" + INTERFACE);
      if (functions == null) {
        throw new IllegalArgumentException("there is none for " + platform);
      }
      return Optional.of(load(library, functions));
    } catch (IOException | IllegalArgumentException e) {
      System.getLogger(JpegLibrary.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "JPEG images are decoded in Java and encoded by the JDK, which is slower:"
                  + " libjpeg-turbo cannot be loaded: {0}",
              e.getMessage());
      return Optional.empty();
    }
  }

  /** Loads {@code functions} and tells it where the functions of {@code symbols} are. */
  @SuppressWarnings("restricted") // the library of this jar
  private static JpegLibrary load(SymbolLookup symbols, Path functions) {
    JpegLibrary result = new JpegLibrary(SymbolLookup.libraryLookup(functions, Arena.global()));
    MethodHandle name = result.function("headrace_jpeg_function", ADDRESS, JAVA_INT);
    MethodHandle bind = result.procedure("headrace_jpeg_bind", JAVA_INT, ADDRESS);
    try {
      for (int i = 0; ; i++) {
        MemorySegment text = (MemorySegment) name.invokeExact(i);
        if (text.equals(MemorySegment.NULL)) {
          return result;
        }
        bind.invokeExact(i, symbol(symbols, text(text)));
      }
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  private static MemorySegment symbol(SymbolLookup library, String name) {
    return library
        .find(name)
        .orElseThrow(() -> new IllegalArgumentException("it has no function " + name));
  }

  /** The C string at {@code address}, of less than MESSAGE_BYTES. */
  @SuppressWarnings("restricted") // strings of jpeg.c, which end before
  static String text(MemorySegment address) {
    return address.reinterpret(MESSAGE_BYTES).getString(0);
  }

  /** The function {@code name} of jpeg.c with this signature. */
  @SuppressWarnings("restricted") // the signatures are those of jpeg.c
  MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(symbol(functions, name), FunctionDescriptor.of(result, arguments));
  }

  /** The same for a function without a result. */
  @SuppressWarnings("restricted") // the signatures are those of jpeg.c
  MethodHandle procedure(String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(symbol(functions, name), FunctionDescriptor.ofVoid(arguments));
  }
}
