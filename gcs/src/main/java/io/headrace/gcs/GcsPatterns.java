package io.headrace.gcs;

import com.google.cloud.storage.Blob;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import io.headrace.runtime.file.GlobPattern;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks up the objects and folders that match a pattern: a listing for each component that is a
 * glob, of the names that begin as the component does. Used by one thread.
 */
final class GcsPatterns {
  private final Storage storage;
  private final String bucket;
  private final String pattern;
  private final Cancellation cancellation;
  private long bytes;

  /**
   * A look-up.
   *
   * @param pattern for messages
   */
  GcsPatterns(Storage storage, String bucket, String pattern, Cancellation cancellation) {
    this.storage = storage;
    this.bucket = bucket;
    this.pattern = pattern;
    this.cancellation = cancellation;
  }

  /** Whether the last component of the pattern {@code object} is a glob. */
  static boolean endsInGlob(String object) {
    return GlobPattern.isPattern(object.substring(object.lastIndexOf('/') + 1));
  }

  /**
   * The candidates for the pattern {@code object}, sorted and without slashes at their ends. They
   * exist if the last component is a glob; otherwise they may not.
   */
  Set<String> matching(String object) {
    List<String> found = new ArrayList<>(List.of(""));
    List<String> components = List.of(object.split("/", -1));
    for (int i = 0; i < components.size(); i++) {
      found = children(found, components.get(i), i == components.size() - 1);
    }
    return new TreeSet<>(found);
  }

  /**
   * The children of {@code folders} that match {@code name}; those of inner ones end in slashes.
   */
  private List<String> children(List<String> folders, String name, boolean isLast) {
    if (!GlobPattern.isPattern(name)) {
      return folders.stream().map(folder -> folder + name + (isLast ? "" : "/")).toList();
    }
    GlobPattern glob = GlobPattern.of(name);
    bytes = 0;
    List<String> result = new ArrayList<>();
    for (String folder : folders) {
      String prefix = folder + GlobPattern.literalPrefix(name);
      for (Blob blob : GcsFileSystem.list(storage, bucket, prefix, BlobField.NAME)) {
        cancellation.check();
        addMatch(folder, blob.getName(), glob, isLast, result);
      }
    }
    return result;
  }

  /** Adds {@code found}, which ends in a slash if it is a folder, if it matches. */
  private void addMatch(
      String folder, String found, GlobPattern glob, boolean isLast, List<String> result) {
    boolean isFolder = found.endsWith("/");
    String child = found.substring(folder.length(), found.length() - (isFolder ? 1 : 0));
    // The marker of the folder itself has no name in it.
    if (child.isEmpty() || !glob.matches(child) || (!isLast && !isFolder)) {
      return;
    }
    bytes += found.length();
    if (bytes > TensorLimit.maxBytes()) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "the names of the files that match %s pass the bound of %d bytes for one tensor",
          pattern,
          TensorLimit.maxBytes());
    }
    result.add(folder + child + (isLast ? "" : "/"));
  }
}
