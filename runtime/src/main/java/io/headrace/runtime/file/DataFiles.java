package io.headrace.runtime.file;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Access to files, by name and by pattern. A name with a scheme, {@code gs://bucket/file}, belongs
 * to the {@link FileSystem} of the scheme; other names, and {@code file://}, are local files.
 *
 * <p>Failures have TensorFlow's status codes: NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION for
 * a directory in place of a file or the reverse and for files in {@link ReservedFolders},
 * RESOURCE_EXHAUSTED on a full disk, UNAVAILABLE for a service that does not answer, UNIMPLEMENTED
 * for a scheme without file system, otherwise UNKNOWN. Thread-safe.
 */
public final class DataFiles {
  /** The attr of a MatchingFiles node that says that a pattern without files is an error. */
  public static final String MUST_MATCH = "_must_match";

  private static final Pattern SCHEME =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*", Pattern.DOTALL);

  private static final FileSystem LOCAL = new LocalFileSystem();

  private DataFiles() {}

  /** The file systems on the class path, by scheme; loaded when a scheme is first met. */
  private static final class Systems {
    static final Map<String, FileSystem> BY_SCHEME = new HashMap<>();

    static {
      BY_SCHEME.put(LOCAL.scheme(), LOCAL);
      ServiceLoader.load(FileSystem.class)
          .forEach(system -> BY_SCHEME.put(system.scheme(), system));
    }
  }

  /** The file system of {@code file}; UNIMPLEMENTED if there is none for its scheme. */
  static FileSystem system(String file) {
    Matcher scheme = SCHEME.matcher(file);
    if (!scheme.matches()) {
      return LOCAL;
    }
    @Nullable FileSystem system = Systems.BY_SCHEME.get(scheme.group(1));
    if (system == null) {
      throw StatusException.unimplemented(
          "the file system %s:// is not supported%s: %s",
          scheme.group(1),
          scheme.group(1).equals("gs") ? " without headrace-gcs on the class path" : "",
          file);
    }
    if (!isLocal(file)) {
      ReservedFolders.checkRemote(file);
    }
    return system;
  }

  /** Whether {@code file} is on this machine, so that a look at it is quick. */
  public static boolean isLocal(String file) {
    return !SCHEME.matcher(file).matches() || file.startsWith("file://");
  }

  /**
   * Opens {@code file} for reading. NOT_FOUND naming it if it does not exist; FAILED_PRECONDITION
   * if it is a directory; UNIMPLEMENTED for another file system.
   */
  public static FileSystem.Opened open(String file) {
    return system(file).open(file);
  }

  /** The attributes of {@code file}; errors are those of {@link #open}. */
  public static FileAttributes attributes(String file) {
    return system(file).attributes(file);
  }

  /**
   * The contents of {@code file}. Errors are those of {@link #open}, and RESOURCE_EXHAUSTED if the
   * file exceeds the bound for one tensor.
   */
  public static byte[] read(String file) {
    FileSystem.Opened opened = open(file);
    try (InputStream in = opened.bytes()) {
      int bound = (int) Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8);
      byte[] content = opened.size() > bound ? new byte[0] : in.readNBytes(bound);
      if (opened.size() > bound || in.read() >= 0) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s has %d bytes and passes the bound of %d bytes for one tensor",
            file,
            Math.max(opened.size(), content.length),
            bound);
      }
      return content;
    } catch (IOException e) {
      throw readFailure(file, "", e);
    }
  }

  /**
   * Converts a failure to read an open file; UNKNOWN unless the file system tells the code.
   *
   * @param where is appended to the file's name, such as " at offset 3"
   */
  public static StatusException readFailure(String file, String where, IOException e) {
    StatusCode code = e.getCause() instanceof StatusException s ? s.code() : StatusCode.UNKNOWN;
    return new StatusException(code, file + " cannot be read" + where + ": " + e, e);
  }

  /**
   * The files that match the glob {@code pattern}, sorted: {@code *} matches any characters and
   * {@code ?} one character within a path component, {@code [abc]} one of a set. CANCELLED once
   * {@code cancellation} is; RESOURCE_EXHAUSTED if the names exceed the bound for one tensor.
   */
  public static List<String> matching(String pattern, Cancellation cancellation) {
    List<String> found = system(pattern).matching(pattern, cancellation);
    if (!isLocal(pattern)) {
      found.forEach(ReservedFolders::checkRemote);
    }
    return found;
  }

  /** The names of what is in the directory {@code folder}, sorted; NOT_FOUND without it. */
  public static List<String> names(String folder) {
    return system(folder).names(folder);
  }

  /** Whether {@code file} exists, as a file or a directory. */
  public static boolean exists(String file) {
    return system(file).exists(file);
  }

  /** Opens {@code file} for reads at any offset; errors are those of {@link #open}. */
  public static PositionalReader openPositional(String file) {
    return system(file).openPositional(file);
  }

  /** Creates {@code file}, which must not exist, and opens it for writing. */
  public static OutputStream create(String file) {
    return system(file).create(file);
  }

  /**
   * Creates {@code file} with {@code content}, on disk before this returns. Returns false, and
   * changes nothing, if it exists: of several callers, in any process, one gets true.
   */
  public static boolean createNew(String file, byte[] content) {
    return system(file).createNew(file, content);
  }

  /** Opens {@code file} for writing, empty; its directory must exist. */
  public static OutputStream replace(String file) {
    return system(file).replace(file);
  }

  /** Replaces the contents of {@code file}; its directory must exist. */
  public static void write(String file, byte[] content) {
    system(file).write(file, content);
  }

  /** The directory of {@code file}: the name up to its last slash. */
  public static String folderOf(String file) {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? "" : file.substring(0, slash == 0 ? 1 : slash);
  }

  /** Creates the directory {@code folder} unless it exists; its parent must exist. */
  public static void createFolder(String folder) {
    system(folder).createFolder(folder);
  }

  /** Creates the directory {@code folder} and its missing parents. */
  public static void createFolders(String folder) {
    system(folder).createFolders(folder);
  }

  /**
   * Syncs the names in the directory {@code folder} to disk: files that were created, renamed or
   * deleted in it stay so after a power failure. Does nothing where a file system has no such sync.
   */
  public static void syncFolder(String folder) {
    system(folder).syncFolder(folder);
  }

  /**
   * Renames {@code file} to {@code to}, replacing an existing file; atomically on a local disk.
   * UNIMPLEMENTED from one file system to another.
   */
  public static void rename(String file, String to) {
    common(file, to).rename(file, to);
  }

  /**
   * Gives {@code file} the name {@code to}, too. Returns false, and changes nothing, if something
   * has that name: of several callers, in any process, one gets true. Where a file system has no
   * second names, it renames {@code file} if nothing seems to have that name.
   */
  public static boolean link(String file, String to) {
    return common(file, to).link(file, to);
  }

  private static FileSystem common(String file, String to) {
    FileSystem system = system(file);
    if (!system.scheme().equals(system(to).scheme())) {
      throw StatusException.unimplemented(
          "%s can't be renamed to %s, of another file system", file, to);
    }
    return system;
  }

  /** Deletes {@code file}, or an empty directory. Returns false on failure. */
  public static boolean delete(String file) {
    return system(file).delete(file);
  }

  /**
   * Converts an exception from an operation on {@code file} to a StatusException with TensorFlow's
   * code.
   */
  public static StatusException failure(String file, IOException e) {
    return e.getCause() instanceof StatusException status
        ? status
        : LocalFileSystem.failure(file, e);
  }
}
