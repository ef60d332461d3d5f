package io.headrace.kernels.image;

import io.headrace.kernels.kit.UnpackedLibraries;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;

/**
 * libleptonica of a jar of org.bytedeco, which holds libjpeg-turbo and libwebp. It is loaded on
 * first use, once. Thread-safe.
 */
final class ImageLibrary {
  private static final String LIBRARY = "libleptonica.so.6";

  private ImageLibrary() {}

  /** The outcome of loading it. */
  private sealed interface Result {}

  private record Loaded(SymbolLookup symbols) implements Result {}

  private record Missing(String why) implements Result {}

  private static final class Found {
    static final Result RESULT = load();
  }

  /** Its functions; IllegalArgumentException that says why, if this platform cannot load it. */
  static SymbolLookup symbols() {
    return switch (Found.RESULT) {
      case Loaded loaded -> loaded.symbols;
      case Missing missing -> throw new IllegalArgumentException(missing.why);
    };
  }

  @SuppressWarnings("restricted") // a library of that jar
  private static Result load() {
    try (UnpackedLibraries unpacked = new UnpackedLibraries()) {
      String platform = UnpackedLibraries.platform();
      Path library = unpacked.unpack("/org/bytedeco/leptonica/" + platform + "/" + LIBRARY);
      return library == null
          ? new Missing(
              "the class path has none for %s; io.headrace:headrace-natives brings it for Linux"
                  .formatted(platform))
          : new Loaded(SymbolLookup.libraryLookup(library, Arena.global()));
    } catch (IOException | IllegalArgumentException e) {
      return new Missing(String.valueOf(e.getMessage()));
    }
  }
}
