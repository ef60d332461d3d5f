package io.headrace.kernels.linalg;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.headrace.kernels.kit.UnpackedLibraries;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a library with the CBLAS interface: Accelerate on macOS; elsewhere the OpenBLAS of the
 * org.bytedeco jar on the class path, or an installed one. The system property {@code
 * headrace.blas=loops} turns the search off.
 */
final class BlasLibrary {
  private static final String ACCELERATE =
      "/System/Library/Frameworks/Accelerate.framework/Accelerate";

  private static final String OPEN_BLAS = "libopenblas.so.0";

  /** OpenBLAS's dependencies that a system may lack, in load order. */
  private static final List<String> DEPENDENCIES =
      List.of("libgcc_s.so.1", "libquadmath.so.0", "libgfortran.so.5");

  /** The system property whose value "loops" turns native libraries off. */
  private static final String PROPERTY = "headrace.blas";

  private BlasLibrary() {}

  /** The library, if there is one, limited to the calling threads. */
  static Optional<SymbolLookup> find() {
    if ("loops".equals(System.getProperty(PROPERTY))) {
      return Optional.empty();
    }
    if (System.getProperty("os.name").startsWith("Mac")) {
      return Optional.ofNullable(load(ACCELERATE));
    }
    SymbolLookup library = loadFromJar();
    if (library == null) {
      library = load(OPEN_BLAS);
    }
    if (library != null) {
      useOneThread(library);
    }
    return Optional.ofNullable(library);
  }

  /** Loads the library {@code name}; null if it is missing or has no CBLAS. */
  @SuppressWarnings("restricted") // only Accelerate and OpenBLAS are loaded
  private static @Nullable SymbolLookup load(String name) {
    try {
      SymbolLookup library = SymbolLookup.libraryLookup(name, Arena.global());
      return library.find("cblas_sgemm").isPresent() ? library : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /** Unpacks and loads OpenBLAS from its jar; its files are deleted once it is loaded. */
  private static @Nullable SymbolLookup loadFromJar() {
    String folder = "/org/bytedeco/openblas/" + UnpackedLibraries.platform() + "/";
    if (BlasLibrary.class.getResource(folder + OPEN_BLAS) == null) {
      return null;
    }
    try (UnpackedLibraries libraries = new UnpackedLibraries()) {
      for (String name : DEPENDENCIES) {
        Path file = libraries.unpack(folder + name);
        if (file != null) {
          loadDependency(file);
        }
      }
      return load(String.valueOf(libraries.unpack(folder + OPEN_BLAS)));
    } catch (IOException e) {
      System.getLogger(BlasLibrary.class.getName())
          .log(System.Logger.Level.WARNING, "OpenBLAS is not used: it cannot be unpacked", e);
      return null;
    }
  }

  /** Loads a dependency, which OpenBLAS then finds by its soname. Failure is not an error. */
  @SuppressWarnings("restricted") // libraries of OpenBLAS's jar
  private static void loadDependency(Path file) {
    try {
      var _ = SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException _) {
      // The system may have its own; if not, loading OpenBLAS fails.
    }
  }

  @SuppressWarnings("restricted") // the signature is that of OpenBLAS
  private static void useOneThread(SymbolLookup library) {
    library
        .find("openblas_set_num_threads")
        .ifPresent(symbol -> {
          try {
            Linker.nativeLinker()
                .downcallHandle(symbol, FunctionDescriptor.ofVoid(JAVA_INT))
                .invoke(1);
          } catch (Throwable e) {
            throw new AssertionError("a function of OpenBLAS does not throw", e);
          }
        });
  }
}
