package io.headrace.runtime.expression;

import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The loops that were generated, so that equal programs share one: generating costs up to a
 * millisecond, and HotSpot's compilation much more. Keeps those used last; one that is dropped here
 * lives on while someone holds it. Thread-safe.
 */
public final class Loops {
  /** Loops that are kept. */
  private static final int CAPACITY = 2000;

  private record Key(Program program, List<Boolean> single) {}

  private static final Map<Key, Loop> LOOPS =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Loop> eldest) {
          return size() > CAPACITY;
        }
      };

  private Loops() {}

  /**
   * The loop of {@code program}.
   *
   * @param single for each operand, whether it is one element that is the same throughout
   */
  public static Loop of(Program program, List<Boolean> single) {
    Key key = new Key(program, List.copyOf(single));
    synchronized (LOOPS) {
      Loop known = LOOPS.get(key);
      if (known != null) {
        return known;
      }
      Loop loop = generate(key);
      LOOPS.put(key, loop);
      return loop;
    }
  }

  private static Loop generate(Key key) {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    ClassDesc self = ClassDesc.of(Loops.class.getPackageName(), "GeneratedLoop");
    byte[] bytes = LoopWriter.write(key.program(), key.single(), self);
    try {
      Class<?> type = lookup.defineHiddenClass(bytes, true).lookupClass();
      return (Loop) type.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the loop of " + key.program() + " is not right", e);
    }
  }
}
