package io.headrace.dataset.execute.pass;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The files that were handed to a pass as splits and are not opened yet: a shuffle may keep their
 * names for long, and they must still be as they were when they are opened. Thread-safe.
 */
public final class ExpectedFiles {
  private final Map<String, SourceFile> byName = new ConcurrentHashMap<>();

  /** This file is a split of the pass. */
  public void expect(SourceFile file) {
    if (file.isSeen()) {
      byName.put(file.name(), file);
    }
  }

  /**
   * The file named {@code name} is about to be opened. Blocks.
   *
   * @throws io.headrace.runtime.status.StatusException NOT_FOUND or DATA_LOSS, naming it, if it was
   *     expected, and is not as it was
   */
  public void opening(String name) {
    @Nullable SourceFile file = byName.remove(name);
    if (file != null) {
      file.requireUnchanged();
    }
  }
}
