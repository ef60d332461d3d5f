package io.headrace.dataset.execute.pass;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The files that a pass received as splits and has not opened yet. A shuffle may hold their names
 * for long; the files must still be unchanged when they are opened. Thread-safe.
 */
public final class ExpectedFiles {
  private final Map<String, SourceFile> byName = new ConcurrentHashMap<>();

  /** Adds a file that is a split of the pass. */
  public void expect(SourceFile file) {
    if (file.isSeen()) {
      byName.put(file.name(), file);
    }
  }

  /**
   * Checks a file before it is opened. Blocks.
   *
   * @throws io.headrace.runtime.status.StatusException NOT_FOUND or DATA_LOSS, naming the file, if
   *     it was a split and has been removed or changed
   */
  public void opening(String name) {
    @Nullable SourceFile file = byName.remove(name);
    if (file != null) {
      file.requireUnchanged();
    }
  }
}
