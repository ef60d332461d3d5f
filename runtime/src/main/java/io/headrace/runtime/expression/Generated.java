package io.headrace.runtime.expression;

import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The code that was generated, so that it is generated once: that costs up to a millisecond, and
 * HotSpot's compilation much more. Keeps what was used last; what is dropped here lives on while
 * someone holds it. Thread-safe.
 */
final class Generated {
  /** Objects that are kept. */
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
      ClassDesc.of(Generated.class.getPackageName(), "GeneratedLoop");

  private Generated() {}

  /**
   * The object for {@code key}.
   *
   * @param writer writes its class, which has a constructor without parameters
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
