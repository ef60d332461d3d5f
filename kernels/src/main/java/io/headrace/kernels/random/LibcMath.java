package io.headrace.kernels.random;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * The logarithms, exponential, sine and cosine of the C library, which TensorFlow's distributions
 * and CTC ops call: the last bit of a sample depends on them. Where the library lacks a function,
 * Java's is used, which differs in the last bit of about one value in a hundred. Thread-safe.
 */
public final class LibcMath {
  private static final MethodHandle LOG_FLOAT = find("logf", "log", JAVA_FLOAT);
  private static final MethodHandle SIN_FLOAT = find("sinf", "sin", JAVA_FLOAT);
  private static final MethodHandle COS_FLOAT = find("cosf", "cos", JAVA_FLOAT);
  private static final MethodHandle LOG = find("log", "log", JAVA_DOUBLE);
  private static final MethodHandle SIN = find("sin", "sin", JAVA_DOUBLE);
  private static final MethodHandle COS = find("cos", "cos", JAVA_DOUBLE);
  private static final MethodHandle EXP_FLOAT = find("expf", "exp", JAVA_FLOAT);
  private static final MethodHandle EXP = find("exp", "exp", JAVA_DOUBLE);
  private static final MethodHandle LOG1P_FLOAT = find("log1pf", "log1p", JAVA_FLOAT);

  private LibcMath() {}

  /** The natural logarithm of {@code x}. */
  public static float log(float x) {
    return call(LOG_FLOAT, x);
  }

  /** The sine of {@code x}, in radians, as the C library rounds it. */
  public static float sin(float x) {
    return call(SIN_FLOAT, x);
  }

  static float cos(float x) {
    return call(COS_FLOAT, x);
  }

  /** The natural logarithm of {@code x}. */
  public static double log(double x) {
    return call(LOG, x);
  }

  /** The exponential function of {@code x}. */
  public static float exp(float x) {
    return call(EXP_FLOAT, x);
  }

  /** The exponential function of {@code x}. */
  public static double exp(double x) {
    return call(EXP, x);
  }

  /** The natural logarithm of 1 + {@code x}. */
  public static float log1p(float x) {
    return call(LOG1P_FLOAT, x);
  }

  static double sin(double x) {
    return call(SIN, x);
  }

  static double cos(double x) {
    return call(COS, x);
  }

  /** The function {@code symbol} of the C library, if it has one. */
  static Optional<MemorySegment> function(String symbol) {
    return Linker.nativeLinker().defaultLookup().find(symbol);
  }

  private static float call(MethodHandle function, float x) {
    try {
      return (float) function.invokeExact(x);
    } catch (Throwable e) {
      throw new AssertionError("a function of the C library does not throw", e);
    }
  }

  private static double call(MethodHandle function, double x) {
    try {
      return (double) function.invokeExact(x);
    } catch (Throwable e) {
      throw new AssertionError("a function of the C library does not throw", e);
    }
  }

  @SuppressWarnings("restricted") // each symbol is a function of one number
  private static MethodHandle find(String symbol, String javaName, ValueLayout type) {
    return function(symbol)
        .map(address ->
            Linker.nativeLinker()
                .downcallHandle(
                    address, FunctionDescriptor.of(type, type), Linker.Option.critical(false)))
        .orElseGet(() -> inJava(javaName, type.carrier()));
  }

  private static MethodHandle inJava(String name, Class<?> type) {
    try {
      MethodType ofDouble = MethodType.methodType(double.class, double.class);
      MethodHandle function = MethodHandles.lookup().findStatic(Math.class, name, ofDouble);
      return MethodHandles.explicitCastArguments(function, MethodType.methodType(type, type));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Math has the method", e);
    }
  }
}
