package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/**
 * Verifies, before anything is written, that every acknowledged record is present and intact.
 *
 * <p>Three properties distinguish damage from a torn tail. Records are numbered without a gap,
 * which reveals a missing record before a later one. Each record has its own checksum besides
 * RocksDB's. And {@link AcknowledgedFile} tells the last record that must be present. RocksDB alone
 * can't tell whether the last write in its log was torn before its flush or damaged afterwards; its
 * recovery modes either refuse both or drop both silently. So the check reads whatever is readable.
 * Only if nothing is missing is the log opened for writing, where RocksDB cuts it after the last
 * intact write (PointInTimeRecovery).
 */
final class RocksDbIntegrityCheck {
  private RocksDbIntegrityCheck() {}

  /**
   * The result of a successful check.
   *
   * @param header the journal's header
   * @param last the number of the last record
   */
  record Whole(JournalHeader header, long last) {}

  /**
   * Reads everything and changes nothing.
   *
   * @throws StatusException DATA_LOSS, naming record and file; FAILED_PRECONDITION for a journal of
   *     another format
   */
  static Whole check(WorkDir work) throws IOException {
    return check(work.journal(), work.acknowledged());
  }

  /**
   * As {@link #check(WorkDir)}, of the journal in a directory and its file {@code acknowledged}.
   */
  static Whole check(Path journal, Path acknowledged) throws IOException {
    requireThere(List.of(journal, acknowledged));
    AcknowledgedFile.Range promised =
        AcknowledgedFile.read(acknowledged)
            .orElseThrow(() -> damaged(acknowledged + " does not match its checksum"));
    try (RocksDbStore store = RocksDbStore.openToRead(journal)) {
      if (!store.header().id().equals(promised.id())) {
        throw damaged(acknowledged + " is not of the journal beside it");
      }
      long last = store.read(Long.MAX_VALUE, _ -> {});
      if (last < promised.last()) {
        throw new DamagedRecordException(
            last + 1, "is missing (" + promised.last() + " were acknowledged)");
      }
      return new Whole(store.header(), last);
    } catch (DamagedRecordException e) {
      throw report(journal, String.valueOf(e.getMessage()));
    } catch (RocksDBException e) {
      throw report(
          journal,
          "records %d to %d can't be read (%s)"
              .formatted(promised.first(), promised.last(), e.getMessage()));
    }
  }

  private static void requireThere(List<Path> parts) {
    for (Path part : parts) {
      if (!Files.exists(part)) {
        throw damaged(part + " is missing, and a journal was kept there");
      }
    }
  }

  /** A DATA_LOSS error that describes the damage and names the file. */
  static StatusException report(Path journal, String what) {
    return damaged("the journal in " + journal + " is damaged: " + what + "; " + findFile(journal));
  }

  private static StatusException damaged(String message) {
    return new StatusException(StatusCode.DATA_LOSS, message);
  }

  private static String findFile(Path journal) {
    List<String> log = RocksDbStore.findLogDamage(journal);
    if (!log.isEmpty()) {
      return log.getFirst();
    }
    try (Stream<Path> files = Files.list(journal)) {
      return files
          .filter(file -> file.toString().endsWith(".sst"))
          .sorted()
          .flatMap(file -> verify(file).stream())
          .findFirst()
          .orElse("the existing files are intact, so the file that held it is missing");
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** The damage of a table file; empty if it is intact. */
  private static List<String> verify(Path file) {
    try (Options options = new Options();
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file.toString());
      reader.verifyChecksum();
      return List.of();
    } catch (RocksDBException e) {
      return List.of(file + ": " + e.getMessage());
    }
  }
}
