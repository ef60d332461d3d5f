package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * A function of the driver. Its result is a CUresult; its arguments are ints and longs, where a
 * long is an integer of 64 bits, a handle, or an address. The calls with types are for the hot
 * path.
 */
final class CFunction {
  private final String name;
  private final MethodHandle exact;
  private final MethodHandle spread;

  private CFunction(String name, MethodHandle exact) {
    this.name = name;
    this.exact = exact;
    this.spread = exact.asSpreader(Object[].class, exact.type().parameterCount());
  }

  /**
   * Binds the function {@code name}.
   *
   * @param parameters a letter for each: i for int, l for long
   * @throws IllegalArgumentException if the library has none of this name
   */
  @SuppressWarnings("restricted") // the signatures are those of cuda.h
  static CFunction bind(SymbolLookup library, String name, String parameters) {
    var symbol =
        library
            .find(name)
            .orElseThrow(() -> new IllegalArgumentException("it has no function " + name));
    MemoryLayout[] layouts =
        parameters
            .chars()
            .mapToObj(letter -> letter == 'i' ? JAVA_INT : JAVA_LONG)
            .toArray(MemoryLayout[]::new);
    return new CFunction(
        name.replaceFirst("_v2$", ""),
        Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, layouts)));
  }

  /** The function's name in cuda.h, without the version that it has in the library. */
  String name() {
    return name;
  }

  /** Calls a function of any parameters: its arguments are boxed. */
  int invoke(Object... arguments) {
    try {
      return (int) spread.invokeExact(arguments);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  int call(long a) {
    try {
      return (int) exact.invokeExact(a);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  int call(long a, long b) {
    try {
      return (int) exact.invokeExact(a, b);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  int call(long a, long b, int c) {
    try {
      return (int) exact.invokeExact(a, b, c);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  int call(long a, long b, long c, long d) {
    try {
      return (int) exact.invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  int call(long a, int b, long c, long d) {
    try {
      return (int) exact.invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  /** Calls cuLaunchKernel. */
  int call(
      long function,
      int gx,
      int gy,
      int gz,
      int bx,
      int by,
      int bz,
      int shared,
      long stream,
      long arguments,
      long extra) {
    try {
      return (int)
          exact.invokeExact(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
    } catch (Throwable e) {
      throw bug(e);
    }
  }

  private AssertionError bug(Throwable e) {
    return new AssertionError(name + " does not throw", e);
  }
}
