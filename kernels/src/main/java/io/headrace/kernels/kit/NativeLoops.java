package io.headrace.kernels.kit;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * {@code libheadrace-loops.so} (src/main/c/loops.c): loops that HotSpot does not vectorize. Each
 * has a method in Java with the same results, bit for bit, which takes its place where there is no
 * library: on other platforms than Linux, where arrays can't be pinned ({@link ArrayPinning}), and
 * with the system property {@code headrace.loops=java}. Immutable, hence thread-safe.
 */
public final class NativeLoops {
  private static final String LIBRARY = "libheadrace-loops.so";

  /** The system property whose value "java" turns the library off. */
  private static final String PROPERTY = "headrace.loops";

  private final SymbolLookup functions;

  /** The end of the names of the functions for this level. */
  private final String suffix;

  private NativeLoops(SymbolLookup functions, String suffix) {
    this.functions = functions;
    this.suffix = suffix;
  }

  /** The library, loaded on first use. */
  private static final class Found {
    static final List<NativeLoops> LEVELS = load();
  }

  /** The functions that are best for this processor, if the library can be used here. */
  public static Optional<NativeLoops> find() {
    return Found.LEVELS.stream().reduce((lower, higher) -> higher);
  }

  /**
   * The functions for each level of processors, from the lowest up to this one's. The lowest has
   * also the functions that are as fast on every one.
   */
  public static List<NativeLoops> levels() {
    return Found.LEVELS;
  }

  private static List<NativeLoops> load() {
    if ("java".equals(System.getProperty(PROPERTY)) || !ArrayPinning.isSafe()) {
      return List.of();
    }
    try (UnpackedLibraries unpacked = new UnpackedLibraries()) {
      String resource = "/io/headrace/kernels/kit/" + UnpackedLibraries.platform() + "/" + LIBRARY;
      Path library = unpacked.unpack(resource);
      return library == null ? List.of() : load(library);
    } catch (IOException | IllegalArgumentException e) {
      System.getLogger(NativeLoops.class.getName())
          .log(Level.DEBUG, "{0} cannot be loaded: {1}", LIBRARY, e.getMessage());
      return List.of();
    }
  }

  @SuppressWarnings("restricted") // the library of this jar
  private static List<NativeLoops> load(Path library) {
    SymbolLookup functions = SymbolLookup.libraryLookup(library, Arena.global());
    MethodHandle hasAvx2 =
        Linker.nativeLinker()
            .downcallHandle(
                functions.findOrThrow("headrace_has_avx2"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT));
    NativeLoops any = new NativeLoops(functions, "");
    try {
      return (int) hasAvx2.invokeExact() == 0
          ? List.of(any)
          : List.of(any, new NativeLoops(functions, "_avx2"));
    } catch (Throwable e) {
      throw new AssertionError("a C function does not throw", e);
    }
  }

  /**
   * The function {@code name} of loops.c, without a result. Its arrays are those of the heap, which
   * are pinned: no garbage is collected meanwhile, so a call should take less than a millisecond.
   */
  @SuppressWarnings("restricted") // the signatures are those of loops.c
  public MethodHandle function(String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(
            functions.findOrThrow(name + suffix),
            FunctionDescriptor.ofVoid(arguments),
            Linker.Option.critical(true));
  }

  @Override
  public String toString() {
    return LIBRARY + suffix;
  }
}
