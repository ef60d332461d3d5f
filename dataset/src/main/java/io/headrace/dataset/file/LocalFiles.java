package io.headrace.dataset.file;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this machine, by name and by pattern. */
public final class LocalFiles {
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)");

  private LocalFiles() {}

  /** The path that {@code file} names; UNIMPLEMENTED if it lies on another file system. */
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
}
