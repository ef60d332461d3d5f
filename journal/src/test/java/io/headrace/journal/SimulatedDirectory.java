package io.headrace.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory tree that tracks flushes: fsync of a file flushes its bytes, fsync of a directory its
 * names. A crash drops unflushed changes according to its kind.
 */
final class SimulatedDirectory {
  /** The kinds of crashes. */
  enum Crash {
    /** The process is killed; all its writes remain. */
    KILL,
    /** A power failure drops everything that was not flushed. */
    POWER,
    /** A power failure drops unflushed bytes but keeps all names. */
    POWER_AFTER_NAMES
  }

  private sealed interface Node {}

  private static final class File implements Node {
    byte[] bytes = {};
    byte[] flushed = {};
  }

  private static final class Directory implements Node {
    final Map<String, Node> names = new TreeMap<>();
    final Map<String, Node> flushed = new TreeMap<>();
  }

  private final Path root;
  private final Directory top = new Directory();

  /** An empty tree for the directory {@code root}. */
  SimulatedDirectory(Path root) {
    this.root = root;
  }

  void create(Path path, boolean truncate) {
    File file = (File) parent(path).names.computeIfAbsent(name(path), _ -> new File());
    if (truncate) {
      file.bytes = new byte[0];
    }
  }

  void makeDirectory(Path path) {
    if (!path.equals(root)) {
      parent(path).names.put(name(path), new Directory());
    }
  }

  void append(Path path, byte[] bytes) {
    write(path, bytes, file(path).bytes.length);
  }

  void write(Path path, byte[] bytes, int at) {
    File file = file(path);
    byte[] whole = Arrays.copyOf(file.bytes, Math.max(file.bytes.length, at + bytes.length));
    ByteBuffer.wrap(whole).put(at, bytes);
    file.bytes = whole;
  }

  void truncate(Path path, int length) {
    File file = file(path);
    file.bytes = Arrays.copyOf(file.bytes, length);
  }

  void delete(Path path) {
    parent(path).names.remove(name(path));
  }

  void rename(Path from, Path to) {
    @Nullable Node node = parent(from).names.remove(name(from));
    if (node != null) {
      parent(to).names.put(name(to), node);
    }
  }

  void flush(Path path) {
    switch (find(path)) {
      case File file -> file.flushed = file.bytes;
      case Directory directory -> {
        directory.flushed.clear();
        directory.flushed.putAll(directory.names);
      }
    }
  }

  /** Writes the state after a crash to {@code to}, which is deleted first. */
  void crash(Crash crash, Path to) throws IOException {
    DirectoryCopy.delete(to);
    write(top, crash, to);
  }

  private static void write(Node node, Crash crash, Path to) throws IOException {
    switch (node) {
      case File file -> Files.write(to, crash == Crash.KILL ? file.bytes : file.flushed);
      case Directory directory -> {
        Files.createDirectory(to);
        var left = crash == Crash.POWER ? directory.flushed : directory.names;
        for (Map.Entry<String, Node> entry : left.entrySet()) {
          write(entry.getValue(), crash, to.resolve(entry.getKey()));
        }
      }
    }
  }

  private File file(Path path) {
    return (File) find(path);
  }

  private Directory parent(Path path) {
    return (Directory) find(path.resolveSibling(""));
  }

  private Node find(Path path) {
    Node node = top;
    for (Path name : root.relativize(path)) {
      if (!name.toString().isEmpty()) {
        @Nullable Node next = ((Directory) node).names.get(name.toString());
        if (next == null) {
          throw new IllegalStateException("no " + path);
        }
        node = next;
      }
    }
    return node;
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }
}
