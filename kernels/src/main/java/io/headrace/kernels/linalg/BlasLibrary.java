package io.headrace.kernels.linalg;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a library with C's interface to BLAS: macOS's own, Accelerate; or the OpenBLAS that is in a
 * jar of org.bytedeco on the class path; or one that is installed. None with the system property
 * {@code headrace.blas=loops}.
 */
final class BlasLibrary {
  private static final String ACCELERATE =
      "/System/Library/Frameworks/Accelerate.framework/Accelerate";

  private static final String OPEN_BLAS = "libopenblas.so.0";

  /** What OpenBLAS needs and a system may lack: each before those that need it. */
  private static final List<String> NEEDED =
      List.of("libgcc_s.so.1", "libquadmath.so.0", "libgfortran.so.5");

  /** With the value "loops", no library is used. */
  private static final String PROPERTY = "headrace.blas";

  private BlasLibrary() {}

  /** The library, if there is one; it uses only the threads that call it. */
  static Optional<SymbolLookup> find() {
    if ("loops".equals(System.getProperty(PROPERTY))) {
      return Optional.empty();
    }
    if (System.getProperty("os.name").startsWith("Mac")) {
      return Optional.ofNullable(load(ACCELERATE));
    }
    SymbolLookup library = ofClassPath();
    if (library == null) {
      library = load(OPEN_BLAS);
    }
    if (library != null) {
      useOneThread(library);
    }
    return Optional.ofNullable(library);
  }

  /** The library {@code name}; null if there is none. */
  @SuppressWarnings("restricted") // the names are those libraries' alone
  private static @Nullable SymbolLookup load(String name) {
    try {
      SymbolLookup library = SymbolLookup.libraryLookup(name, Arena.global());
      return library.find("cblas_sgemm").isPresent() ? library : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /** The library from its jar; its files are gone when it is loaded. */
  private static @Nullable SymbolLookup ofClassPath() {
    String folder = "/org/bytedeco/openblas/" + platform() + "/";
    if (BlasLibrary.class.getResource(folder + OPEN_BLAS) == null) {
      return null;
    }
    List<Path> files = new ArrayList<>();
    try {
      Path target = Files.createTempDirectory("headrace-blas");
      files.add(target);
      try {
        for (String name : NEEDED) {
          Path file = extract(folder + name, target.resolve(name));
          if (file != null) {
            files.addFirst(file);
            loadNeeded(file);
          }
        }
        files.addFirst(target.resolve(OPEN_BLAS));
        extract(folder + OPEN_BLAS, target.resolve(OPEN_BLAS));
        return load(target.resolve(OPEN_BLAS).toString());
      } finally {
        for (Path file : files) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      System.getLogger(BlasLibrary.class.getName())
          .log(System.Logger.Level.WARNING, "OpenBLAS is not used: it cannot be unpacked", e);
      return null;
    }
  }

  private static String platform() {
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return "linux-" + (processor.equals("aarch64") ? "arm64" : "x86_64");
  }

  private static @Nullable Path extract(String resource, Path file) throws IOException {
    try (InputStream in = BlasLibrary.class.getResourceAsStream(resource)) {
      if (in == null) {
        return null;
      }
      Files.copy(in, file);
      return file;
    }
  }

  /** Loads what OpenBLAS finds by its name then; where that fails, the system may have its own. */
  @SuppressWarnings("restricted") // the libraries of OpenBLAS's jar
  private static void loadNeeded(Path file) {
    try {
      var _ = SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException _) {
      // Whether it is missing shows when OpenBLAS is loaded.
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
