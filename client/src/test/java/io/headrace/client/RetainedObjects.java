package io.headrace.client;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Measures the objects that Headrace retains: the sizes of all maps and collections reachable from
 * some roots through fields of Headrace's classes, by field. It uses reflection, so that no class
 * can be left out.
 */
final class RetainedObjects {
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> left = new ArrayDeque<>();
  private final Map<String, Integer> sizes = new TreeMap<>();

  private RetainedObjects() {}

  /** The non-zero sizes. Other threads may change the objects meanwhile. */
  static Map<String, Integer> of(Object... roots) {
    while (true) {
      try {
        return new RetainedObjects().walk(roots);
      } catch (ConcurrentModificationException e) {
        Thread.onSpinWait();
      }
    }
  }

  private Map<String, Integer> walk(Object... roots) {
    for (Object root : roots) {
      reach(root, "");
    }
    while (!left.isEmpty()) {
      Object next = left.remove();
      for (Class<?> type = next.getClass(); type != null; type = type.getSuperclass()) {
        if (isOurs(type)) {
          Arrays.stream(type.getDeclaredFields())
              .forEach(field -> reach(value(field, next), field));
        }
      }
    }
    return sizes;
  }

  private void reach(@Nullable Object value, Field field) {
    reach(value, field.getDeclaringClass().getSimpleName() + "." + field.getName());
  }

  private void reach(@Nullable Object value, String holder) {
    switch (value) {
      case Map<?, ?> map -> {
        count(map.size(), holder);
        map.forEach((key, held) -> {
          reach(key, holder);
          reach(held, holder);
        });
      }
      case Collection<?> all -> {
        count(all.size(), holder);
        all.forEach(held -> reach(held, holder));
      }
      case Object[] all -> Arrays.stream(all).forEach(held -> reach(held, holder));
      case AtomicReference<?> reference -> reach(reference.get(), holder);
      case null -> {}
      default -> {
        if (isOurs(value.getClass()) && seen.add(value)) {
          left.add(value);
        }
      }
    }
  }

  private void count(int size, String holder) {
    if (size > 0) {
      sizes.merge(holder, size, Integer::sum);
    }
  }

  /** Generated messages count as values, even with many lists. */
  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith("io.headrace.")
        && !type.getName().startsWith("io.headrace.proto.");
  }

  private static @Nullable Object value(Field field, Object of) {
    if (field.getType().isPrimitive() || Modifier.isStatic(field.getModifiers())) {
      return null;
    }
    try {
      field.setAccessible(true);
      return field.get(of);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new AssertionError(e);
    }
  }
}
