package io.headrace.runtime.device;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The resource manager of a device: state that outlives steps, such as variables, tables,
 * generators and queues, by container, type and name. The container "" is the default one. Closing
 * it closes the resources that are {@link AutoCloseable}. Thread-safe.
 */
public final class Resources implements AutoCloseable {
  private static final Pattern CONTAINER = Pattern.compile("[A-Za-z0-9.][A-Za-z0-9./-]*");

  private record Key(String container, Class<?> type, String name) {}

  private final String defaultContainer;
  private final Map<Key, Object> held = new HashMap<>();

  /** A manager whose default container is unnamed. */
  public Resources() {
    this("");
  }

  /** A manager whose default container is {@code defaultContainer}. */
  public Resources(String defaultContainer) {
    this.defaultContainer = defaultContainer;
  }

  /**
   * Checks the attrs of a node that creates a resource, as TensorFlow does.
   *
   * @param container a container name, or "": a letter, digit or dot, then also dashes and slashes
   * @param sharedName a resource name, or ""; a leading "_" is reserved
   * @throws StatusException INVALID_ARGUMENT if a name is invalid
   */
  public static void checkNames(String container, String sharedName) {
    if (!container.isEmpty() && !CONTAINER.matcher(container).matches()) {
      throw StatusException.invalidArgument("container contains invalid characters: %s", container);
    }
    if (sharedName.startsWith("_")) {
      throw StatusException.invalidArgument("shared_name cannot start with '_': %s", sharedName);
    }
  }

  private <T> Key key(String container, Class<T> type, String name) {
    return new Key(container.isEmpty() ? defaultContainer : container, type, name);
  }

  /** The resource of that name, created by {@code maker} if it does not exist. */
  public synchronized <T> T lookupOrCreate(
      String container, String name, Class<T> type, Supplier<T> maker) {
    return type.cast(held.computeIfAbsent(key(container, type, name), _ -> maker.get()));
  }

  /** The resource of that name; NOT_FOUND if it does not exist. */
  public synchronized <T> T lookup(String container, String name, Class<T> type) {
    Key key = key(container, type, name);
    Object found = held.get(key);
    if (found == null) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "Resource %s/%s/%s does not exist.",
          key.container(),
          name,
          type.getSimpleName());
    }
    return type.cast(found);
  }

  /** Removes {@code resource} without closing it, and returns whether it was present. */
  @SuppressWarnings("ReferenceEquality") // identity, not equality
  public synchronized boolean remove(Object resource) {
    return held.values().removeIf(value -> value == resource);
  }

  /** Removes and closes the resources of {@code container}; "" is the default container. */
  public void clear(String container) {
    String name = container.isEmpty() ? defaultContainer : container;
    closeWhere(key -> key.container().equals(name));
  }

  @Override
  public void close() {
    closeWhere(_ -> true);
  }

  private void closeWhere(Predicate<Key> where) {
    List<Object> toClose = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Map.Entry<Key, Object>> it = held.entrySet().iterator(); it.hasNext(); ) {
        Map.Entry<Key, Object> entry = it.next();
        if (where.test(entry.getKey())) {
          toClose.add(entry.getValue());
          it.remove();
        }
      }
    }
    for (Object resource : toClose) {
      if (resource instanceof AutoCloseable closeable) {
        release(closeable);
      }
    }
  }

  /** Closes {@code resource}; a checked exception becomes INTERNAL. */
  public static void release(AutoCloseable resource) {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StatusException(StatusCode.INTERNAL, "a resource did not close", e);
    }
  }
}
