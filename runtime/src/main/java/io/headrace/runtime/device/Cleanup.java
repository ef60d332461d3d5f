package io.headrace.runtime.device;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps that free something, and that run though others fail. */
public final class Cleanup {
  private Cleanup() {}

  /** Runs all {@code steps} in their order; the first failure is thrown behind the last of them. */
  public static void run(List<Runnable> steps) {
    @Nullable RuntimeException failure = null;
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Runs {@code step} for each of {@code items}, as {@link #run} does. */
  public static <T> void forEach(Collection<T> items, Consumer<T> step) {
    run(items.stream().<Runnable>map(item -> () -> step.accept(item)).toList());
  }

  /**
   * Runs {@code step} because of {@code failure}, which keeps the step's own as a suppressed one.
   */
  public static void after(RuntimeException failure, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
