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
 * What outlives a step: variables, tables, generators, queues, by container, type and name. The
 * container "" stands for the default one. Thread-safe. Closing it closes what it holds that can be
 * closed.
 */
public final class Resources implements AutoCloseable {
  private static final Pattern CONTAINER = Pattern.compile("[A-Za-z0-9.][A-Za-z0-9./-]*");

  private record Key(String container, Class<?> type, String name) {}

  private final String defaultContainer;
  private final Map<Key, Object> held = new HashMap<>();

  /** With a default container that has no name. */
  public Resources() {
    this("");
  }

  /** With a default container called {@code defaultContainer}. */
  public Resources(String defaultContainer) {
    this.defaultContainer = defaultContainer;
  }

  /**
   * Checks the attrs of a node that makes a resource, as TensorFlow does.
   *
   * @param container "" or the name of one: a letter, digit or dot, and then dashes and slashes,
   *     too
   * @param sharedName "" or what the resource is found by; names of the system begin with "_"
   * @throws StatusException INVALID_ARGUMENT if one of them is no such name
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

  /** The resource of that name, made by {@code maker} if it is not there. */
  public synchronized <T> T lookupOrCreate(
      String container, String name, Class<T> type, Supplier<T> maker) {
    return type.cast(held.computeIfAbsent(key(container, type, name), _ -> maker.get()));
  }

  /** The resource of that name; NOT_FOUND if there is none. */
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

  /** Takes {@code resource} out, without closing it. Returns whether it was there. */
  @SuppressWarnings("ReferenceEquality") // that very resource, not one that equals it
  public synchronized boolean remove(Object resource) {
    return held.values().removeIf(value -> value == resource);
  }

  /** Takes out and closes what {@code container} holds; "" is the default one. */
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

  /** Closes {@code resource}; what is thrown that is checked becomes INTERNAL. */
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
