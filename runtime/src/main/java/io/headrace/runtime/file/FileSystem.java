package io.headrace.runtime.file;

import io.headrace.runtime.status.Cancellation;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * A file system, for the names with its scheme; {@link DataFiles} finds it by {@link
 * java.util.ServiceLoader}, and documents the methods. Names are passed whole, with the scheme.
 * Failures have TensorFlow's status codes, as {@link DataFiles} lists them; the streams' are {@code
 * IOException}s, whose cause may be a StatusException. Thread-safe.
 */
public interface FileSystem {
  /** The scheme of the file system's names, without "://". */
  String scheme();

  /**
   * A file open for reading.
   *
   * @param bytes of the file; owned by whoever opened it
   * @param size in bytes, or 0 if it is unknown
   */
  record Opened(InputStream bytes, long size) {}

  /** Opens {@code file} for reading. */
  Opened open(String file);

  /** Opens {@code file} for reads at any offset. */
  PositionalReader openPositional(String file);

  /** The attributes of {@code file}. */
  FileAttributes attributes(String file);

  /** Whether {@code file} exists, as a file or a directory. */
  boolean exists(String file);

  /** The files that match the glob {@code pattern}, sorted. */
  List<String> matching(String pattern, Cancellation cancellation);

  /** The names of what is in the directory {@code folder}, sorted. */
  List<String> names(String folder);

  /** Creates {@code file}, which must not exist, and opens it for writing. */
  OutputStream create(String file);

  /** Opens {@code file} for writing, empty. */
  OutputStream replace(String file);

  /** Creates {@code file} with {@code content}; returns false if it exists. */
  boolean createNew(String file, byte[] content);

  /** Replaces the contents of {@code file}. */
  void write(String file, byte[] content);

  /** Begins a file that appears atomically. */
  AtomicFile createAtomic(String file);

  /** Creates the directory {@code folder}, whose parent exists, unless it exists. */
  void createFolder(String folder);

  /** Creates the directory {@code folder} and its missing parents. */
  void createFolders(String folder);

  /** Makes the names in the directory {@code folder} durable. */
  void syncFolder(String folder);

  /** Renames {@code file} to {@code to}, replacing an existing file. */
  void rename(String file, String to);

  /** Gives {@code file} the name {@code to}, too; returns false if something has that name. */
  boolean link(String file, String to);

  /** Deletes {@code file}, or an empty directory; returns false on failure. */
  boolean delete(String file);
}
