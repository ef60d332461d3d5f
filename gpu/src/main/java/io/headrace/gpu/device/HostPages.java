package io.headrace.gpu.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the C library, in whole pages: unlike an arena's, it is not touched before its first
 * use, so that the system can give it pages of 2 MiB, and freeing it waits for no thread.
 */
final class HostPages {
  private static final long HUGE_PAGE_BYTES = 2 << 20;

  /** The largest page of a system that Java runs on. */
  private static final long PAGE_BYTES = 64 << 10;

  private static final int MADV_HUGEPAGE = 14;

  private static final @Nullable MethodHandle ALLOCATE =
      bind("posix_memalign", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private static final @Nullable MethodHandle FREE =
      bind("free", FunctionDescriptor.ofVoid(JAVA_LONG));

  /** Of Linux; elsewhere the number means something else. */
  private static final @Nullable MethodHandle ADVISE =
      System.getProperty("os.name").equals("Linux")
          ? bind("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT))
          : null;

  private HostPages() {}

  @SuppressWarnings("restricted") // the signatures are those of POSIX
  private static @Nullable MethodHandle bind(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    SymbolLookup library = linker.defaultLookup();
    return library.find(name).map(symbol -> linker.downcallHandle(symbol, type)).orElse(null);
  }

  /** Memory with undefined content; nothing if the system has not as much. */
  @SuppressWarnings("restricted") // that many bytes were allocated
  static Optional<MemorySegment> allocate(long bytes) {
    if (ALLOCATE == null || FREE == null) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(JAVA_LONG);
      long alignment = bytes < HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES;
      if ((int) ALLOCATE.invokeExact(address.address(), alignment, bytes) != 0) {
        return Optional.empty();
      }
      MemorySegment pages = MemorySegment.ofAddress(address.get(JAVA_LONG, 0)).reinterpret(bytes);
      if (ADVISE != null && bytes >= HUGE_PAGE_BYTES) {
        // A hint, which a system may decline.
        int _ = (int) ADVISE.invokeExact(pages.address(), bytes, MADV_HUGEPAGE);
      }
      return Optional.of(pages);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  /** Frees what {@link #allocate} returned; nobody has its address any longer. */
  static void free(MemorySegment pages) {
    if (FREE != null) {
      try {
        FREE.invokeExact(pages.address());
      } catch (Throwable e) {
        throw bug(e);
      }
    }
  }

  private static AssertionError bug(Throwable e) {
    return new AssertionError("C does not throw", e);
  }
}
