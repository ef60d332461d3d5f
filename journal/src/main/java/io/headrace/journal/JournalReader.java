package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.rocksdb.RocksDBException;

/**
 * Reads whole journals, checks them as a start does, and changes nothing. Their records are in
 * memory at once, as in a dispatcher.
 */
public final class JournalReader {
  private JournalReader() {}

  /**
   * The content of a journal.
   *
   * @param id its id
   * @param epoch how often it has been opened
   * @param first the number of the first record; the others follow it without a gap
   * @param records the records; not to be modified
   * @param lastUser the process that used it last; empty if that is not known
   */
  public record Content(UUID id, long epoch, long first, List<byte[]> records, String lastUser) {
    /** Copies the list. */
    public Content {
      records = List.copyOf(records);
    }
  }

  /**
   * The journal of the directory {@code workDir}. No dispatcher can begin to use it meanwhile.
   *
   * @throws StatusException FAILED_PRECONDITION if a dispatcher uses it, or it holds no journal, or
   *     one of another format; DATA_LOSS, naming record and file, if it is damaged
   */
  public static Content read(Path workDir) {
    RocksDbLibrary.load();
    try (WorkDir.Reading work = WorkDir.read(workDir)) {
      RocksDbIntegrityCheck.Whole whole =
          RocksDbIntegrityCheck.check(work.journal(), work.acknowledged());
      List<byte[]> records = new ArrayList<>();
      try (RocksDbStore store = RocksDbStore.openToRead(work.journal())) {
        var _ = store.read(whole.last(), records::add);
      }
      return new Content(
          whole.header().id(),
          whole.header().epoch(),
          whole.header().first(),
          records,
          work.owner().toString());
    } catch (IOException | RocksDBException e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "the journal in work_dir " + workDir + " can't be read: " + e.getMessage(),
          e);
    }
  }

  /**
   * The journal at {@code location}, which a dispatcher may use meanwhile.
   *
   * @throws StatusException FAILED_PRECONDITION if there is no journal; UNAVAILABLE if the bucket
   *     can't be reached, or the journal changes faster than it can be read; DATA_LOSS, naming
   *     record and object, if it is damaged
   */
  public static Content read(GcsLocation location) {
    GcsSettings settings = GcsSettings.defaults();
    GcsBucket bucket = GcsBucket.connect(location, settings.timeout());
    try {
      GcsRetry retry = new GcsRetry(SystemTicker.INSTANCE, settings.patience());
      GcsLoader.Found found = new GcsLoader(bucket, retry).load(new UUID(0, 0));
      UUID id = found.journal();
      if (id == null) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION, "work_dir %s holds no journal of Headrace", location);
      }
      if (!found.isWhole()) {
        throw StatusException.of(
            StatusCode.UNAVAILABLE,
            "the journal in work_dir %s changes while it is read",
            location);
      }
      return new Content(id, found.epoch(), found.first(), found.records(), "");
    } catch (GcsFailure e) {
      throw GcsJournal.refusal(location, e);
    } finally {
      bucket.close();
    }
  }
}
