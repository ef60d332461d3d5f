package io.headrace.runtime.file;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.IOException;
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
 * The files of this machine. Those in {@link ReservedFolders} are refused: FAILED_PRECONDITION.
 * Thread-safe.
 */
final class LocalFileSystem implements FileSystem {
  private static final Pattern FILE_SCHEME = Pattern.compile("file://(.*)");

  private static final Pattern NO_ROOM = Pattern.compile("No space left|Disk quota exceeded");

  LocalFileSystem() {}

  @Override
  public String scheme() {
    return "file";
  }

  /**
   * The path of {@code file}. INVALID_ARGUMENT for an invalid name, FAILED_PRECONDITION in a folder
   * of {@link ReservedFolders}.
   */
  private static Path path(String file) {
    Matcher scheme = FILE_SCHEME.matcher(file);
    try {
      Path path = Path.of(scheme.matches() ? scheme.group(1) : file);
      ReservedFolders.check(path);
      return path;
    } catch (InvalidPathException e) {
      throw new StatusException(
          StatusCode.INVALID_ARGUMENT, "not a file name: " + e.getMessage(), e);
    }
  }

  @Override
  public Opened open(String file) {
    Path path = path(file);
    try {
      if (Files.isDirectory(path) && !file.isEmpty()) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION, "%s is a directory, and must be a file", file);
      }
      return new Opened(Files.newInputStream(path), Files.size(path));
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  @Override
  public FileAttributes attributes(String file) {
    try {
      BasicFileAttributes found = Files.readAttributes(path(file), BasicFileAttributes.class);
      return new FileAttributes(
          found.isRegularFile(),
          found.isDirectory(),
          found.size(),
          found.lastModifiedTime().toMillis());
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  @Override
  public List<String> matching(String pattern, Cancellation cancellation) {
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

  @Override
  public List<String> names(String folder) {
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

  @Override
  public boolean exists(String file) {
    return Files.exists(path(file));
  }

  @Override
  public PositionalReader openPositional(String file) {
    try {
      return new ChannelReader(FileChannel.open(path(file), StandardOpenOption.READ));
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  @Override
  public OutputStream create(String file) {
    try {
      return Files.newOutputStream(
          path(file), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  @Override
  public boolean createNew(String file, byte[] content) {
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

  @Override
  public OutputStream replace(String file) {
    try {
      return Files.newOutputStream(path(file));
    } catch (IOException e) {
      throw unwritten(file, e);
    }
  }

  @Override
  public void write(String file, byte[] content) {
    try {
      Files.write(path(file), content);
    } catch (IOException e) {
      throw unwritten(file, e);
    }
  }

  @Override
  public void createFolder(String folder) {
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

  @Override
  public void createFolders(String folder) {
    try {
      Files.createDirectories(path(folder));
    } catch (IOException e) {
      throw failure(folder, e);
    }
  }

  @Override
  public void syncFolder(String folder) {
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

  @Override
  public void rename(String file, String to) {
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

  @Override
  public boolean link(String file, String to) {
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

  @Override
  public boolean delete(String file) {
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
  static StatusException failure(String file, IOException e) {
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

  /** The same for a file that is created if need be: only its folder can be missing. */
  private static StatusException unwritten(String file, IOException e) {
    return e instanceof NoSuchFileException
        ? new StatusException(
            StatusCode.NOT_FOUND,
            file + "; No such file or directory: its folder must be there first",
            e)
        : failure(file, e);
  }

  private static String reason(IOException e) {
    @Nullable String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? "" : reason;
  }

  @Override
  public AtomicFile createAtomic(String file) {
    return LocalAtomicFile.create(file, path(file));
  }

  /** Reads through a channel. */
  private record ChannelReader(FileChannel channel) implements PositionalReader {
    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      return channel.read(into, offset);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
