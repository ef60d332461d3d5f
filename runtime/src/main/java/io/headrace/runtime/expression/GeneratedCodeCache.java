package io.headrace.runtime.expression;

import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A cache of generated code. Generating a class costs up to a millisecond, and its compilation by
 * HotSpot much more. The least recently used entries are dropped; their objects remain usable.
 * Thread-safe.
 */
final class GeneratedCodeCache {
  /** The maximum number of cached objects. */
  private static final int CAPACITY = 2000;

  private static final Map<Object, Object> OBJECTS =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Object> eldest) {
          return size() > CAPACITY;
        }
      };

  private static final ClassDesc SELF =
      ClassDesc.of(GeneratedCodeCache.class.getPackageName(), "GeneratedLoop");

  private GeneratedCodeCache() {}

  /**
   * The object for {@code key}, generated on first use.
   *
   * @param writer generates its class, which has a constructor without parameters
   */
  static Object of(Object key, Function<ClassDesc, byte[]> writer) {
    synchronized (OBJECTS) {
      Object known = OBJECTS.get(key);
      if (known != null) {
        return known;
      }
      Object made = instantiate(writer.apply(SELF));
      OBJECTS.put(key, made);
      return made;
    }
  }

  private static Object instantiate(byte[] bytes) {
    try {
      Class<?> type = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
      return type.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("generated code is not right", e);
    }
  }
}
