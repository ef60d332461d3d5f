package io.headrace.runtime.file;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Access to local files, by name and by pattern. Failures have TensorFlow's status codes:
 * NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION for a directory in place of a file or the
 * reverse and for files in {@link ReservedFolders}, RESOURCE_EXHAUSTED on a full disk, otherwise
 * UNKNOWN. Thread-safe.
 */
public final class LocalFiles {
  /** The attr of a MatchingFiles node that says that a pattern without files is an error. */
  public static final String MUST_MATCH = "_must_match";

  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)");

  private static final Pattern NO_ROOM = Pattern.compile("No space left|Disk quota exceeded");

  private LocalFiles() {}

  /**
   * The path of {@code file}. UNIMPLEMENTED for another file system, INVALID_ARGUMENT for an
   * invalid name, FAILED_PRECONDITION in a folder of {@link ReservedFolders}.
   */
  static Path path(String file) {
    Matcher scheme = SCHEME.matcher(file);
    boolean hasScheme = scheme.matches();
    if (hasScheme && !"file".equals(scheme.group(1))) {
      throw StatusException.unimplemented(
          "the file system %s:// is not supported: %s", scheme.group(1), file);
    }
    try {
      Path path = Path.of(hasScheme ? scheme.group(2) : file);
      ReservedFolders.check(path);
      return path;
    } catch (InvalidPathException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "not a file name: " + e.getMessage(), e);
    }
  }

  /**
   * Opens {@code file} for reading. NOT_FOUND naming it if it does not exist; FAILED_PRECONDITION
   * if it is a directory; UNIMPLEMENTED for another file system.
   */
  public static InputStream open(String file) {
    Path path = path(file);
    try {
      if (Files.isDirectory(path) && !file.isEmpty()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION, "%s is a directory, and must be a file", file);
      }
      return Files.newInputStream(path);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** The size of {@code file} in bytes, or 0 if it is unknown. */
  public static long size(String file) {
    try {
      return Files.size(path(file));
    } catch (IOException e) {
      return 0;
    }
  }

  /** The attributes of {@code file}; errors are those of {@link #open}. */
  public static BasicFileAttributes attributes(String file) {
    try {
      return Files.readAttributes(path(file), BasicFileAttributes.class);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /**
   * The contents of {@code file}. Errors are those of {@link #open}, and RESOURCE_EXHAUSTED if the
   * file exceeds the bound for one tensor.
   */
  public static byte[] read(String file) {
    try (InputStream in = open(file)) {
      int bound = (int) Math.min(TensorLimit.maxBytes(), Integer.MAX_VALUE - 8);
      byte[] content = size(file) > bound ? new byte[0] : in.readNBytes(bound);
      if (size(file) > bound || in.read() >= 0) {
        throw StatusException.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s has %d bytes and passes the bound of %d bytes for one tensor",
            file,
            size(file),
            bound);
      }
      return content;
    } catch (IOException e) {
      throw new StatusException(StatusCode.UNKNOWN, file + " cannot be read: " + e, e);
    }
  }

  /**
   * The files that match the glob {@code pattern}, sorted: {@code *} matches any characters and
   * {@code ?} one character within a path component, {@code [abc]} one of a set. CANCELLED once
   * {@code cancellation} is; RESOURCE_EXHAUSTED if the names exceed the bound for one tensor.
   */
  public static List<String> matching(String pattern, Cancellation cancellation) {
    Path path = path(pattern);
    Path root = path.getRoot();
    List<Path> found = new ArrayList<>();
    found.add(root == null ? Path.of("") : root);
    for (Path name : path) {
      found = children(found, name.toString(), pattern, cancellation);
    }
    return found.stream().map(Path::toString).sorted().toList();
  }

  /** The children of {@code folders} that match {@code name}, a component of {@code pattern}. */
  private static List<Path> children(
      List<Path> folders, String name, String pattern, Cancellation cancellation) {
    @Nullable GlobPattern glob = GlobPattern.isPattern(name) ? GlobPattern.of(name) : null;
    List<Path> result = new ArrayList<>();
    long bytes = 0;
    for (Path folder : folders) {
      cancellation.check();
      ReservedFolders.check(folder);
      if (glob == null) {
        Path child = folder.resolve(name);
        if (Files.exists(child)) {
          result.add(child);
        }
      } else if (Files.isDirectory(folder)) {
        bytes = addMatches(folder, glob, result, bytes, pattern, cancellation);
      }
    }
    return result;
  }

  /** Adds to {@code result}, whose names have {@code bytes}; returns the bytes of all of them. */
  private static long addMatches(
      Path folder,
      GlobPattern glob,
      List<Path> result,
      long bytes,
      String pattern,
      Cancellation cancellation) {
    long sum = bytes;
    try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
      for (Path child : children) {
        cancellation.check();
        if (!glob.matches(child.getFileName().toString())) {
          continue;
        }
        Path match = folder.resolve(child.getFileName());
        sum += match.toString().length();
        if (sum > TensorLimit.maxBytes()) {
          throw StatusException.of(
              StatusCode.RESOURCE_EXHAUSTED,
              "the names of the files that match %s pass the bound of %d bytes for one tensor",
              pattern,
              TensorLimit.maxBytes());
        }
        result.add(match);
      }
      return sum;
    } catch (IOException | DirectoryIteratorException e) {
      throw new StatusException(
          StatusCode.UNKNOWN, "folder " + folder + " cannot be read: " + e, e);
    }
  }

  /** The names of what is in the directory {@code folder}, sorted; NOT_FOUND without it. */
  public static List<String> names(String folder) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> children = Files.newDirectoryStream(path(folder))) {
      children.forEach(child -> names.add(child.getFileName().toString()));
    } catch (DirectoryIteratorException e) {
      throw new StatusException(
          StatusCode.UNKNOWN, "folder " + folder + " cannot be read: " + e, e);
    } catch (IOException e) {
      throw failure(folder, e);
    }
    names.sort(null);
    return names;
  }

  /** Whether {@code file} exists, as a file or a directory. */
  public static boolean exists(String file) {
    return Files.exists(path(file));
  }

  /** Opens {@code file} for positional reads; errors are those of {@link #open}. */
  public static FileChannel openChannel(String file) {
    try {
      return FileChannel.open(path(file), StandardOpenOption.READ);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Creates {@code file}, which must not exist, and opens it for writing. */
  public static OutputStream create(String file) {
    try {
      return Files.newOutputStream(
          path(file), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /**
   * Creates {@code file} with {@code content}, on disk before this returns. Returns false, and
   * changes nothing, if it exists: of several callers, in any process, one gets true.
   */
  public static boolean createNew(String file, byte[] content) {
    try (FileChannel channel =
        FileChannel.open(path(file), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
      channel.force(true);
      return true;
    } catch (FileAlreadyExistsException _) {
      return false;
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Opens {@code file} for writing, empty; its directory must exist. */
  public static OutputStream replace(String file) {
    try {
      return Files.newOutputStream(path(file));
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Replaces the contents of {@code file}; its directory must exist. */
  public static void write(String file, byte[] content) {
    try {
      Files.write(path(file), content);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** The directory of {@code file}: the name up to its last slash. */
  public static String folderOf(String file) {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? "" : file.substring(0, slash == 0 ? 1 : slash);
  }

  /** Creates the directory {@code folder} unless it exists; its parent must exist. */
  public static void createFolder(String folder) {
    try {
      Path path = path(folder);
      if (!folder.isEmpty() && !Files.exists(path)) {
        Files.createDirectory(path);
      }
    } catch (FileAlreadyExistsException e) {
      // Another process has created it concurrently.
      return;
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  /** Creates the directory {@code folder} and its missing parents. */
  public static void createFolders(String folder) {
    try {
      Files.createDirectories(path(folder));
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  /**
   * Syncs the names in the directory {@code folder} to disk: files that were created, renamed or
   * deleted in it stay so after a power failure. Does nothing where a file system has no such sync.
   */
  public static void syncFolder(String folder) {
    Path path = path(folder.isEmpty() ? "." : folder);
    FileChannel channel;
    try {
      channel = FileChannel.open(path, StandardOpenOption.READ);
    } catch (IOException e) {
      if (Files.isDirectory(path)) {
        return; // directories cannot be opened on this system
      }
      throw failure(folder, e);
    }
    try (channel) {
      channel.force(true);
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  /** Renames {@code file} to {@code to} atomically, replacing an existing file. */
  public static void rename(String file, String to) {
    try {
      Files.move(
          path(file),
          path(to),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /**
   * Gives {@code file} the name {@code to}, too. Returns false, and changes nothing, if something
   * has that name: of several callers, in any process, one gets true. Where a file system has no
   * second names, it renames {@code file} if nothing seems to have that name.
   */
  public static boolean link(String file, String to) {
    try {
      Files.createLink(path(to), path(file));
      return true;
    } catch (FileAlreadyExistsException _) {
      return false;
    } catch (NoSuchFileException e) {
      throw failure(to, e);
    } catch (IOException | UnsupportedOperationException _) {
      if (exists(to)) {
        return false;
      }
      rename(file, to);
      return true;
    }
  }

  /** Deletes {@code file}, or an empty directory. Returns false on failure. */
  public static boolean delete(String file) {
    try {
      return Files.deleteIfExists(path(file));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Converts an exception from an operation on {@code file} to a StatusException with TensorFlow's
   * code.
   */
  public static StatusException failure(String file, IOException e) {
    String reason = reason(e);
    return switch (e) {
      case NoSuchFileException _ ->
          new StatusException(StatusCode.NOT_FOUND, file + "; No such file or directory", e);
      case AccessDeniedException _ ->
          new StatusException(StatusCode.PERMISSION_DENIED, file + "; Permission denied", e);
      case FileAlreadyExistsException _, DirectoryNotEmptyException _ ->
          new StatusException(StatusCode.FAILED_PRECONDITION, file + "; File exists", e);
      case FileSystemException _ when reason.endsWith(" a directory") ->
          new StatusException(StatusCode.FAILED_PRECONDITION, file + "; " + reason, e);
      // A channel throws no FileSystemException when a disk is full.
      case IOException _ when NO_ROOM.matcher(reason).lookingAt() ->
          new StatusException(StatusCode.RESOURCE_EXHAUSTED, file + "; " + reason, e);
      default -> new StatusException(StatusCode.UNKNOWN, file + "; " + e, e);
    };
  }

  private static String reason(IOException e) {
    @Nullable String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? "" : reason;
  }
}
