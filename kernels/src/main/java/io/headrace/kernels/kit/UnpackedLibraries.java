package io.headrace.kernels.kit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Native libraries unpacked from the class path into a temporary folder that only this user can
 * read and write. A loaded library needs its file no longer: {@code close} deletes them all. Used
 * by one thread.
 */
public final class UnpackedLibraries implements AutoCloseable {
  private final Path folder;
  private final Deque<Path> files = new ArrayDeque<>();

  /** Creates the folder; IOException if it cannot be. */
  public UnpackedLibraries() throws IOException {
    folder = Files.createTempDirectory("headrace-native");
  }

  /** This platform as org.bytedeco names it: linux-x86_64, linux-arm64, macosx-arm64. */
  public static String platform() {
    boolean isMac = System.getProperty("os.name").startsWith("Mac");
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (isMac ? "macosx-" : "linux-") + (processor.equals("aarch64") ? "arm64" : "x86_64");
  }

  /** Unpacks {@code resource}, an absolute name, under its simple name; null if there is none. */
  public @Nullable Path unpack(String resource) throws IOException {
    try (InputStream in = UnpackedLibraries.class.getResourceAsStream(resource)) {
      if (in == null) {
        return null;
      }
      Path file = folder.resolve(resource.substring(resource.lastIndexOf('/') + 1));
      files.push(file);
      Files.copy(in, file);
      return file;
    }
  }

  @Override
  public void close() throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }
}
