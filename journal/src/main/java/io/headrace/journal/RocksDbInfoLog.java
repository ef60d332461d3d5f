package io.headrace.journal;

import java.util.ArrayList;
import java.util.List;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;

/**
 * Receives RocksDB's info log, which would otherwise fill files, and keeps the messages about
 * write-ahead log files that could not be read to the end. Thread-safe.
 */
final class RocksDbInfoLog implements AutoCloseable {
  private static final int MAX_KEPT = 16;

  private final Object lock = new Object();
  private final List<String> dropped = new ArrayList<>();
  private final Logger logger = new Keeper();

  Logger logger() {
    return logger;
  }

  /**
   * Messages of the form "/w/journal/000004.log: dropping 30 bytes; Corruption: checksum mismatch".
   */
  List<String> dropped() {
    synchronized (lock) {
      return List.copyOf(dropped);
    }
  }

  @Override
  public void close() {
    logger.close();
  }

  private void keep(String line) {
    synchronized (lock) {
      if (line.contains(": dropping ") && dropped.size() < MAX_KEPT) {
        // Strips RocksDB's source location and, if present, the note that the error is ignored.
        dropped.add(line.replaceFirst("^\\[[^]]*\\] (\\(ignoring error\\) )?", ""));
      }
    }
  }

  private final class Keeper extends Logger {
    Keeper() {
      super(InfoLogLevel.WARN_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String line) {
      keep(line);
    }
  }
}
