package io.headrace.fakecuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The library in C, whose functions call Java. Each function of cuda.h and of cublas_api.h is a
 * method of one of the classes in {@link #CALLS}, of the same name. Thread-safe.
 */
final class CudaStub {
  /** Held during each call of the driver, and each look at its state. */
  static final Object LOCK = new Object();

  private static final List<Class<?>> CALLS =
      List.of(
          DeviceCalls.class,
          MemoryCalls.class,
          ModuleCalls.class,
          StreamCalls.class,
          CublasCalls.class);

  private static final List<String> BUGS = new ArrayList<>();

  /** The driver in use, with an object of each class of calls; null if there is none. */
  private static @Nullable InUse inUse;

  private CudaStub() {}

  private record InUse(DriverState state, List<Object> calls) {}

  /** The library, unpacked, loaded and bound on first use. */
  private static final class Loaded {
    static final Path LIBRARY = load();
  }

  static Path library() {
    return Loaded.LIBRARY;
  }

  static void use(DriverState state) {
    var _ = library();
    synchronized (LOCK) {
      BUGS.clear();
      inUse =
          new InUse(
              state,
              List.of(
                  new DeviceCalls(state),
                  new MemoryCalls(state),
                  new ModuleCalls(state),
                  new StreamCalls(state),
                  new CublasCalls(state)));
    }
  }

  static void stopUsing(DriverState state) {
    synchronized (LOCK) {
      if (inUse != null && inUse.state() == state) {
        inUse = null;
      }
    }
  }

  /** The exceptions of the fake driver that it should not have thrown. */
  static List<String> bugs() {
    return BUGS;
  }

  @SuppressWarnings("restricted") // our own library
  private static Path load() {
    Path file = unpack();
    System.load(file.toString());
    SymbolLookup library = SymbolLookup.libraryLookup(file, Arena.global());
    MethodHandle set =
        Linker.nativeLinker()
            .downcallHandle(
                library.find("fakecuda_set").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    CALLS.stream()
        .flatMap(calls -> Arrays.stream(calls.getDeclaredMethods()))
        .filter(method -> method.getName().startsWith("cu"))
        .forEach(method -> bind(set, method));
    return file;
  }

  private static Path unpack() {
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String platform = processor.equals("aarch64") ? "linux-arm64" : "linux-x86_64";
    String name = platform + "/libcuda.so.1";
    try (InputStream in = CudaStub.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("there is no " + name);
      }
      Path folder = Files.createTempDirectory("headrace-fakecuda");
      Path file = folder.resolve("libcuda.so.1");
      Files.copy(in, file);
      // Callers load it by its path until the process ends.
      file.toFile().deleteOnExit();
      folder.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("restricted") // the signatures are those of libcuda.c
  private static void bind(MethodHandle set, Method method) {
    MemoryLayout[] layouts =
        Stream.of(method.getParameterTypes())
            .map(type -> type == int.class ? JAVA_INT : JAVA_LONG)
            .toArray(MemoryLayout[]::new);
    try {
      MethodHandle call =
          MethodHandles.insertArguments(
                  MethodHandles.lookup()
                      .findStatic(
                          CudaStub.class,
                          "call",
                          MethodType.methodType(int.class, Method.class, Object[].class)),
                  0,
                  method)
              .asCollector(Object[].class, layouts.length)
              .asType(MethodType.methodType(int.class, method.getParameterTypes()));
      MemorySegment stub =
          Linker.nativeLinker()
              .upcallStub(call, FunctionDescriptor.of(JAVA_INT, layouts), Arena.global());
      MemorySegment name = Arena.global().allocateFrom(method.getName());
      if ((int) set.invokeExact(name, stub) != 1) {
        throw new IllegalStateException("libcuda.c has no function " + method.getName());
      }
    } catch (IllegalStateException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a method can't be called from C", e);
    }
  }

  /** Calls a method of the driver in use. An exception must not reach C: it ends the process. */
  @SuppressWarnings("UnusedMethod") // bind looks it up
  private static int call(Method method, Object[] arguments) {
    synchronized (LOCK) {
      try {
        InUse driver = inUse;
        if (driver == null) {
          return codeOf(method, CudaError.NO_DEVICE);
        }
        CudaError planned =
            driver
                .state()
                .failures()
                .onCall(method.getName().replaceFirst("_v2$", ""))
                .orElse(CudaError.SUCCESS);
        if (planned != CudaError.SUCCESS) {
          return codeOf(method, planned);
        }
        Object target = driver.calls().get(CALLS.indexOf(method.getDeclaringClass()));
        return (int) method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        return codeOf(method, e.getCause());
      } catch (Throwable e) {
        return codeOf(method, e);
      }
    }
  }

  private static int codeOf(Method method, @Nullable Throwable failure) {
    if (failure instanceof DriverError error) {
      return codeOf(method, error.error());
    }
    BUGS.add("the fake driver failed in " + method.getName() + ": " + failure);
    return codeOf(method, CudaError.UNKNOWN);
  }

  private static int codeOf(Method method, CudaError error) {
    return method.getDeclaringClass() == CublasCalls.class
        ? CublasCalls.status(error)
        : error.code();
  }
}
