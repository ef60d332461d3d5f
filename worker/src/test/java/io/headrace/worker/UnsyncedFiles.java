package io.headrace.worker;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.FileAttributes;
import io.headrace.runtime.file.FileSystem;
import io.headrace.runtime.file.PositionalReader;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Files of the scheme {@code unsynced}, in memory: when the power fails they are as they were last
 * synced, contents by file and names by folder. One thread uses them at a time.
 */
public final class UnsyncedFiles implements FileSystem {
  /** The folder that is always there. */
  static final String ROOT = "unsynced://disk";

  private static Map<String, Node> names = new HashMap<>();
  private static Map<String, Node> syncedNames = new HashMap<>();
  private static int stepsLeft;
  private static boolean isOff;

  /** A file, by whatever name, or a folder. */
  private static final class Node {
    final boolean isFolder;
    byte[] content = {};
    byte[] synced = {};

    Node(boolean isFolder) {
      this.isFolder = isFolder;
    }
  }

  /** Loaded as a service. */
  public UnsyncedFiles() {}

  /** Deletes everything. */
  static void clear() {
    names = new HashMap<>(Map.of(ROOT, new Node(true)));
    syncedNames = new HashMap<>(names);
    failAfter(Integer.MAX_VALUE);
  }

  /** Lets the power fail when {@code steps} more changes were made. */
  static void failAfter(int steps) {
    stepsLeft = steps;
    isOff = false;
  }

  static boolean powerHasFailed() {
    return isOff;
  }

  /**
   * Lets the power come back.
   *
   * @param keepsNames whether the disk had written all names by itself, though not the contents
   */
  static void restart(boolean keepsNames) {
    Map<String, Node> left = new HashMap<>(keepsNames ? names : syncedNames);
    boolean changed = true;
    while (changed) { // the contents of folders that are gone are gone, too
      changed = left.keySet().removeIf(n -> !n.equals(ROOT) && !left.containsKey(folder(n)));
    }
    left.values().forEach(node -> node.content = node.synced);
    names = left;
    syncedNames = new HashMap<>(left);
    failAfter(Integer.MAX_VALUE);
  }

  private static String folder(String name) {
    return DataFiles.folderOf(name);
  }

  private static void step() {
    if (isOff || stepsLeft-- == 0) {
      isOff = true;
      throw new StatusException(StatusCode.UNAVAILABLE, "the power has failed");
    }
  }

  private static Node find(String name) {
    @Nullable Node found = names.get(name);
    if (found == null) {
      throw new StatusException(StatusCode.NOT_FOUND, name);
    }
    return found;
  }

  private static Node add(String name, boolean isFolder) {
    var _ = find(folder(name));
    step();
    Node added = new Node(isFolder);
    names.put(name, added);
    return added;
  }

  @Override
  public String scheme() {
    return "unsynced";
  }

  @Override
  public Opened open(String file) {
    byte[] content = find(file).content;
    return new Opened(new ByteArrayInputStream(content), content.length);
  }

  @Override
  public PositionalReader openPositional(String file) {
    throw new UnsupportedOperationException(file);
  }

  @Override
  public FileAttributes attributes(String file) {
    Node found = find(file);
    return new FileAttributes(!found.isFolder, found.isFolder, found.content.length, 0);
  }

  @Override
  public boolean exists(String file) {
    return names.containsKey(file);
  }

  @Override
  public List<String> matching(String pattern, Cancellation cancellation) {
    throw new UnsupportedOperationException(pattern);
  }

  @Override
  public List<String> names(String folder) {
    var _ = find(folder);
    return names.keySet().stream()
        .filter(name -> folder(name).equals(folder))
        .map(name -> name.substring(folder.length() + 1))
        .sorted()
        .toList();
  }

  @Override
  public OutputStream create(String file) {
    throw new UnsupportedOperationException(file);
  }

  @Override
  public OutputStream replace(String file) {
    throw new UnsupportedOperationException(file);
  }

  @Override
  public boolean createNew(String file, byte[] content) {
    if (exists(file)) {
      return false;
    }
    Node added = add(file, false);
    step();
    added.content = content.clone();
    step();
    added.synced = added.content;
    return true;
  }

  @Override
  public void write(String file, byte[] content) {
    add(file, false).content = content.clone();
  }

  @Override
  public AtomicFile createAtomic(String file) {
    String temporary = file + ".temporary";
    Node added = add(temporary, false);
    return new AtomicFile() {
      private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

      @Override
      public void write(byte[] more, int from, int count) {
        bytes.write(more, from, count);
      }

      @Override
      public void commit() {
        step();
        added.content = bytes.toByteArray();
        step();
        added.synced = added.content;
        rename(temporary, file);
      }

      @Override
      public void close() {
        var _ = delete(temporary);
      }
    };
  }

  @Override
  public void createFolder(String folder) {
    if (!exists(folder)) {
      var _ = add(folder, true);
    }
  }

  @Override
  public void createFolders(String folder) {
    if (!exists(folder)) {
      createFolders(folder(folder));
      createFolder(folder);
    }
  }

  @Override
  public void syncFolder(String folder) {
    var _ = find(folder);
    step();
    syncedNames.keySet().removeIf(name -> folder(name).equals(folder));
    names.forEach((name, node) -> {
      if (folder(name).equals(folder)) {
        syncedNames.put(name, node);
      }
    });
  }

  @Override
  public void rename(String file, String to) {
    Node renamed = find(file);
    step();
    names.remove(file);
    names.put(to, renamed);
  }

  @Override
  public boolean link(String file, String to) {
    if (exists(to)) {
      return false;
    }
    Node linked = find(file);
    step();
    names.put(to, linked);
    return true;
  }

  @Override
  public boolean delete(String file) {
    if (isOff || !exists(file) || (find(file).isFolder && !names(file).isEmpty())) {
      return false;
    }
    step();
    names.remove(file);
    return true;
  }
}
