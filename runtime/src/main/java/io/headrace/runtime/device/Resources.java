package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What outlives a step: variables, tables, generators, by container and name. Thread-safe. Closing
 * it closes what it holds that can be closed.
 */
public final class Resources implements AutoCloseable {
  private record Key(String container, String name) {}

  private final Map<Key, Object> held = new HashMap<>();

  /** The resource of that name, made by {@code maker} if it is not there. */
  public synchronized <T> T lookupOrCreate(
      String container, String name, Class<T> type, Supplier<T> maker) {
    return checked(
        type, held.computeIfAbsent(new Key(container, name), _ -> maker.get()), container, name);
  }

  /** The resource of that name; NOT_FOUND if there is none. */
  public synchronized <T> T lookup(String container, String name, Class<T> type) {
    Object found = held.get(new Key(container, name));
    if (found == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND, "Resource %s/%s does not exist.", container, name);
    }
    return checked(type, found, container, name);
  }

  private static <T> T checked(Class<T> type, Object found, String container, String name) {
    if (!type.isInstance(found)) {
      throw StatusException.invalidArgument(
          "Resource %s/%s is a %s, not a %s",
          container, name, found.getClass().getSimpleName(), type.getSimpleName());
    }
    return type.cast(found);
  }

  @Override
  public void close() {
    List<Object> toClose;
    synchronized (this) {
      toClose = List.copyOf(held.values());
      held.clear();
    }
    for (Object resource : toClose) {
      if (resource instanceof AutoCloseable closeable) {
        close(closeable);
      }
    }
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StatusException(StatusCode.INTERNAL, "a resource did not close", e);
    }
  }
}
