package io.headrace.kernels.kit;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryManagerMXBean;
import java.util.List;
import java.util.function.Supplier;

/**
 * Says whether the garbage collector leaves an array in place while a native call has its address
 * ({@code Linker.Option.critical(true)}).
 *
 * <p>In JDK 25.0.0 to 25.0.2, G1 may move a pinned array in an optional evacuation (JDK-8377811,
 * fixed in 25.0.3): the call then reads stale memory, or writes where another object is.
 */
public final class ArrayPinning {
  private static final int AFFECTED = 25;
  private static final int FIXED_IN_UPDATE = 3;

  private ArrayPinning() {}

  /** Decided once, when it is first asked for. */
  private static final class Decided {
    static final boolean SAFE = isSafe(Runtime.version(), ArrayPinning::collectors);
  }

  /** Whether this process may pin arrays. */
  public static boolean isSafe() {
    return Decided.SAFE;
  }

  /**
   * Whether a process may pin arrays.
   *
   * @param version the version of its JDK
   * @param collectors the names of its garbage collectors, asked for only if the version matters
   */
  static boolean isSafe(Runtime.Version version, Supplier<List<String>> collectors) {
    boolean affected =
        version.feature() == AFFECTED
            && version.interim() == 0
            && version.update() < FIXED_IN_UPDATE;
    return !affected || collectors.get().stream().noneMatch(name -> name.startsWith("G1 "));
  }

  /** The names of this process's garbage collectors, such as "G1 Young Generation". */
  static List<String> collectors() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .map(MemoryManagerMXBean::getName)
        .toList();
  }
}
