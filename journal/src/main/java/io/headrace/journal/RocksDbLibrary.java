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
 * Loads RocksDB's native library, once per process.
 *
 * <p>By default RocksDB unpacks 17 MB into the temporary directory and removes them at an orderly
 * exit only, so each killed process would leave a copy. This class unpacks the library into a
 * private directory and deletes it once it is loaded.
 */
final class RocksDbLibrary {
  private static boolean loaded;

  private RocksDbLibrary() {}

  /**
   * Loads the library unless it is loaded.
   *
   * @throws StatusException FAILED_PRECONDITION if it can't be loaded on this machine
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
    // loadLibrary looks for another name than the one in RocksDB's jar.
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
