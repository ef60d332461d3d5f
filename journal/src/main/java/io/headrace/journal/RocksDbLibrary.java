package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * RocksDB's native library, loaded once a process.
 *
 * <p>Left to itself RocksDB unpacks 17 MB into the temporary directory and removes them at an
 * orderly end only, so each process that is killed would leave a copy. Here the copy lies in a
 * directory of its own that nobody else can write to, and is gone once it is loaded.
 */
final class RocksDbLibrary {
  private static boolean loaded;

  private RocksDbLibrary() {}

  /**
   * Loads it, if that was not done before.
   *
   * @throws StatusException FAILED_PRECONDITION if this machine does not let it
   */
  static synchronized void load() {
    if (loaded) {
      return;
    }
    try {
      unpackAndLoad();
    } catch (IOException | UnsatisfiedLinkError e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "RocksDB's native library can't be loaded from the temporary directory "
              + System.getProperty("java.io.tmpdir")
              + " (-Djava.io.tmpdir names another): "
              + e.getMessage(),
          e);
    }
    loaded = true;
  }

  private static void unpackAndLoad() throws IOException {
    String name = Environment.getJniLibraryFileName("rocksdb");
    Path directory = Files.createTempDirectory("headrace-rocksdb");
    // The name that loadLibrary looks for is not the one in RocksDB's own jar.
    Path library = directory.resolve(Environment.getJniLibraryFileName("rocksdbjni"));
    try (InputStream in = RocksDB.class.getClassLoader().getResourceAsStream(name)) {
      if (in == null) {
        throw new FileNotFoundException("there is none for this system, " + name);
      }
      Files.copy(in, library);
      RocksDB.loadLibrary(List.of(directory.toString()));
    } finally {
      Files.deleteIfExists(library);
      Files.deleteIfExists(directory);
    }
  }
}
