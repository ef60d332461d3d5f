package io.headrace.runtime.file;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of this machine, by name and by pattern. Thread-safe. What fails does so with
 * TensorFlow's codes: NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION where a folder stands for a
 * file or the other way around, RESOURCE_EXHAUSTED on a full disk, otherwise UNKNOWN.
 */
public final class LocalFiles {
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)");

  private LocalFiles() {}

  /**
   * Where {@code file} lies. UNIMPLEMENTED if that is on another file system, INVALID_ARGUMENT if
   * it is no name.
   */
  static Path path(String file) {
    Matcher scheme = SCHEME.matcher(file);
    boolean hasScheme = scheme.matches();
    if (hasScheme && !"file".equals(scheme.group(1))) {
      throw StatusException.unimplemented(
          "the file system %s:// is not supported: %s", scheme.group(1), file);
    }
    try {
      return Path.of(hasScheme ? scheme.group(2) : file);
    } catch (InvalidPathException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "not a file name: " + e.getMessage(), e);
    }
  }

  /**
   * Opens {@code file} for reading. NOT_FOUND naming it if it is not there; FAILED_PRECONDITION if
   * it is a folder; UNIMPLEMENTED if it lies on another file system.
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

  /** The bytes that {@code file} has, or 0 if that is not known. */
  public static long size(String file) {
    try {
      return Files.size(path(file));
    } catch (IOException e) {
      return 0;
    }
  }

  /** What the file system knows of {@code file}; errors are those of {@link #open}. */
  public static BasicFileAttributes attributes(String file) {
    try {
      return Files.readAttributes(path(file), BasicFileAttributes.class);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /**
   * All bytes of {@code file}. Errors are those of {@link #open}, and RESOURCE_EXHAUSTED if it
   * passes the bound for one tensor.
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
   * The files whose names match {@code pattern}, in order: {@code *} stands for any characters and
   * {@code ?} for one within a folder's name or file's name, {@code [abc]} for one of some.
   */
  public static List<String> matching(String pattern) {
    Path path = path(pattern);
    Path root = path.getRoot();
    List<Path> found = new ArrayList<>();
    found.add(root == null ? Path.of("") : root);
    for (Path name : path) {
      found = children(found, name.toString());
    }
    return found.stream().map(Path::toString).sorted().toList();
  }

  private static List<Path> children(List<Path> folders, String name) {
    boolean isPattern = name.matches(".*[*?\\[{\\\\].*");
    List<Path> result = new ArrayList<>();
    for (Path folder : folders) {
      if (!isPattern) {
        Path child = folder.resolve(name);
        if (Files.exists(child)) {
          result.add(child);
        }
      } else {
        result.addAll(matches(folder, name));
      }
    }
    return result;
  }

  private static List<Path> matches(Path folder, String name) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + name);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(folder)) {
      return children
          .filter(child -> matcher.matches(child.getFileName()))
          .map(child -> folder.resolve(child.getFileName()))
          .toList();
    } catch (IOException e) {
      throw new StatusException(
          StatusCode.UNKNOWN, "folder " + folder + " cannot be read: " + e, e);
    }
  }

  /** Whether {@code file} is there, as a file or a folder. */
  public static boolean exists(String file) {
    return Files.exists(path(file));
  }

  /** Opens {@code file} for reading at any place; its errors are those of {@link #open}. */
  public static FileChannel openChannel(String file) {
    try {
      return FileChannel.open(path(file), StandardOpenOption.READ);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Makes {@code file}, which must not be there, and opens it for writing. */
  public static OutputStream create(String file) {
    try {
      return Files.newOutputStream(
          path(file), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Writes {@code content} to {@code file}, in place of what it had; its folder must be there. */
  public static void write(String file, byte[] content) {
    try {
      Files.write(path(file), content);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** The name of the folder of {@code file}: what comes before its last slash. */
  public static String folderOf(String file) {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? "" : file.substring(0, slash == 0 ? 1 : slash);
  }

  /** Makes {@code folder}, whose own folder must be there, unless it is there itself. */
  public static void createFolder(String folder) {
    try {
      Path path = path(folder);
      if (!folder.isEmpty() && !Files.exists(path)) {
        Files.createDirectory(path);
      }
    } catch (FileAlreadyExistsException e) {
      // Somebody else has made it meanwhile.
      return;
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  /** Makes {@code folder} and the folders around it, as far as they are not there. */
  public static void createFolders(String folder) {
    try {
      Files.createDirectories(path(folder));
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  /** Gives {@code file} the name {@code to}, which another file may have had, in one step. */
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

  /** Deletes {@code file}, or a folder that is empty. Returns false if that cannot be done. */
  public static boolean delete(String file) {
    try {
      return Files.deleteIfExists(path(file));
    } catch (IOException e) {
      return false;
    }
  }

  /** What {@code e}, which came of work with {@code file}, is as a status: TensorFlow's code. */
  public static StatusException failure(String file, IOException e) {
    String reason =
        e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : "";
    return switch (e) {
      case NoSuchFileException _ ->
          new StatusException(StatusCode.NOT_FOUND, file + "; No such file or directory", e);
      case AccessDeniedException _ ->
          new StatusException(StatusCode.PERMISSION_DENIED, file + "; Permission denied", e);
      case FileAlreadyExistsException _, DirectoryNotEmptyException _ ->
          new StatusException(StatusCode.FAILED_PRECONDITION, file + "; File exists", e);
      case FileSystemException _ when reason.endsWith(" a directory") ->
          new StatusException(StatusCode.FAILED_PRECONDITION, file + "; " + reason, e);
      case FileSystemException _ when reason.startsWith("No space left") ->
          new StatusException(StatusCode.RESOURCE_EXHAUSTED, file + "; " + reason, e);
      default -> new StatusException(StatusCode.UNKNOWN, file + "; " + e, e);
    };
  }
}
