package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * An open RocksDB with a journal's header and the records of its generation, numbered without a
 * gap.
 *
 * <p>A snapshot is written as the next generation, in pieces, so a large one needs little memory.
 * The header, written last and flushed, makes it current. Records of other generations were
 * replaced or belong to an unfinished snapshot; they are ignored and deleted. Not thread-safe,
 * except for {@link #shrink}.
 */
final class RocksDbStore implements AutoCloseable {
  /** The size of RocksDB's memtable, and so of a log file; a larger one takes longer to recover. */
  private static final long WRITE_BUFFER_BYTES = 4 << 20;

  private static final long MAX_MANIFEST_BYTES = 1 << 20;
  private static final long MANIFEST_STEP_BYTES = 64 << 10;
  private static final int SNAPSHOT_PIECE_BYTES = 4 << 20;

  private final RocksDbInfoLog events;
  private final Options options;
  private final RocksDB db;
  private final Object shrinking = new Object();
  private final FlushOptions flush = new FlushOptions().setWaitForFlush(true);
  private final CompactRangeOptions compactAll =
      new CompactRangeOptions()
          .setBottommostLevelCompaction(BottommostLevelCompaction.kForceOptimized);

  private JournalHeader header;
  private volatile boolean closing;

  private RocksDbStore(RocksDbInfoLog events, Options options, RocksDB db, JournalHeader header) {
    this.events = events;
    this.options = options;
    this.db = db;
    this.header = header;
  }

  /** Creates an empty store, durably; the directory must not be in use. */
  static void create(Path directory) throws RocksDBException {
    try (RocksDbInfoLog events = new RocksDbInfoLog();
        Options options = options(events, WALRecoveryMode.AbsoluteConsistency);
        RocksDB db = createIn(directory, options);
        WriteOptions durably = new WriteOptions().setSync(true)) {
      db.put(durably, JournalHeader.key(), JournalHeader.create().toBytes());
    }
  }

  private static RocksDB createIn(Path directory, Options options) throws RocksDBException {
    options.setCreateIfMissing(true).setErrorIfExists(true);
    return RocksDB.open(options, directory.toString());
  }

  /**
   * RocksDB's complaints when it reads the log strictly from end to end; empty if there are none.
   */
  static List<String> findLogDamage(Path directory) {
    try (RocksDbInfoLog events = new RocksDbInfoLog();
        Options options = options(events, WALRecoveryMode.AbsoluteConsistency)) {
      try (RocksDB _ = RocksDB.openReadOnly(options, directory.toString())) {
        return List.of();
      } catch (RocksDBException e) {
        return events.dropped();
      }
    }
  }

  /**
   * Opens a store for reading, without changes. Of a damaged log it delivers what is readable
   * before and after the damage, so a gap in the record numbers reveals lost records.
   *
   * @throws StatusException as {@link #header} does
   */
  static RocksDbStore openToRead(Path directory) throws RocksDBException {
    return open(directory, WALRecoveryMode.SkipAnyCorruptedRecords, false);
  }

  /**
   * Opens a store for writing, which cuts the log at the first damaged write. The caller must have
   * verified that nothing acknowledged follows.
   */
  static RocksDbStore openToWrite(Path directory) throws RocksDBException {
    return open(directory, WALRecoveryMode.PointInTimeRecovery, true);
  }

  @SuppressWarnings("MustBeClosedChecker") // closed with the store
  private static RocksDbStore open(Path directory, WALRecoveryMode mode, boolean writing)
      throws RocksDBException {
    RocksDbInfoLog events = new RocksDbInfoLog();
    Options options = options(events, mode);
    try {
      RocksDB db =
          writing
              ? RocksDB.open(options, directory.toString())
              : RocksDB.openReadOnly(options, directory.toString());
      try {
        return new RocksDbStore(events, options, db, header(directory, db));
      } catch (RocksDBException | RuntimeException e) {
        db.close();
        throw e;
      }
    } catch (RocksDBException | RuntimeException e) {
      options.close();
      events.close();
      throw e;
    }
  }

  private static Options options(RocksDbInfoLog events, WALRecoveryMode mode) {
    BlockBasedTableConfig tables = new BlockBasedTableConfig().setNoBlockCache(true);
    Options options =
        new Options()
            .setWalRecoveryMode(mode)
            .setParanoidChecks(true)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setTableFormatConfig(tables)
            .setWriteBufferSize(WRITE_BUFFER_BYTES)
            .setMaxManifestFileSize(MAX_MANIFEST_BYTES)
            .setManifestPreallocationSize(MANIFEST_STEP_BYTES)
            .setSkipStatsUpdateOnDbOpen(true)
            .setStatsDumpPeriodSec(0);
    options.setLogger(events.logger());
    return options;
  }

  private static JournalHeader header(Path directory, RocksDB db) throws RocksDBException {
    byte[] value = db.get(JournalHeader.key());
    if (value == null) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "%s is a RocksDB database, but not a journal of Headrace",
          directory);
    }
    JournalHeader header;
    try {
      header = JournalHeader.parse(value);
    } catch (IllegalArgumentException e) {
      throw new StatusException(
          StatusCode.DATA_LOSS, "the journal in " + directory + " is damaged: " + e.getMessage());
    }
    if (header.format() != JournalHeader.FORMAT) {
      throw WorkDirOwner.otherFormat(directory, header.format());
    }
    return header;
  }

  JournalHeader header() {
    return header;
  }

  /** RocksDB's messages about log data that it dropped when it was opened. */
  List<String> dropped() {
    return events.dropped();
  }

  /**
   * Passes the records up to number {@code upTo} to {@code reader}, each verified.
   *
   * @return the number of the last one
   * @throws DamagedRecordException naming the first record that is missing or damaged
   */
  long read(long upTo, Consumer<byte[]> reader) {
    long number = header.first();
    try (ReadOptions reading = new ReadOptions().setFillCache(false);
        RocksIterator records = db.newIterator(reading)) {
      records.seek(RecordKey.from(header.generation(), number));
      while (number <= upTo && isRecord(records)) {
        byte[] key = records.key();
        if (RecordKey.number(key) != number) {
          throw new DamagedRecordException(number, "is missing");
        }
        byte[] record = records.value();
        if (!RecordKey.matches(key, record)) {
          throw new DamagedRecordException(number, "does not match its checksum");
        }
        reader.accept(record);
        number++;
        records.next();
      }
      records.status();
    } catch (RocksDBException e) {
      throw new DamagedRecordException(number, "can't be read (" + e.getMessage() + ")");
    }
    return number - 1;
  }

  private boolean isRecord(RocksIterator records) {
    return records.isValid() && RecordKey.isOf(header.generation(), records.key());
  }

  /** Begins the next epoch, durably. */
  void beginEpoch() throws RocksDBException {
    JournalHeader next = header.nextEpoch();
    try (WriteOptions durably = new WriteOptions().setSync(true)) {
      db.put(durably, JournalHeader.key(), next.toBytes());
    }
    header = next;
  }

  /** Appends {@code batches}, durably and atomically, numbered from {@code first}. */
  void append(long first, List<List<byte[]>> batches) throws RocksDBException {
    try (WriteBatch writes = new WriteBatch();
        WriteOptions durably = new WriteOptions().setSync(true)) {
      long number = first;
      for (List<byte[]> records : batches) {
        for (byte[] record : records) {
          writes.put(RecordKey.of(header.generation(), number, record), record);
          number++;
        }
      }
      db.write(durably, writes);
    }
  }

  /** Replaces all records by {@code records}, numbered from {@code first}. */
  void replace(long first, List<byte[]> records) throws RocksDBException {
    JournalHeader next = header.nextGeneration(first);
    try (WriteBatch writes = new WriteBatch();
        WriteOptions later = new WriteOptions();
        WriteOptions durably = new WriteOptions().setSync(true)) {
      long number = first;
      for (byte[] record : records) {
        writes.put(RecordKey.of(next.generation(), number, record), record);
        number++;
        if (writes.getDataSize() >= SNAPSHOT_PIECE_BYTES) {
          db.write(later, writes);
          writes.clear();
        }
      }
      writes.put(JournalHeader.key(), next.toBytes());
      db.write(durably, writes);
    }
    header = next;
  }

  /** Deletes, durably, the records after number {@code last} and those of other generations. */
  void cut(long last) throws RocksDBException {
    long generation = header.generation();
    try (WriteBatch writes = new WriteBatch();
        WriteOptions durably = new WriteOptions().setSync(true)) {
      delete(writes, RecordKey.from(0, 0), RecordKey.from(generation, 0));
      delete(writes, RecordKey.from(generation, last + 1), JournalHeader.key());
      if (writes.count() > 0) {
        db.write(durably, writes);
      }
    }
  }

  /** Deletes a range unless it is empty. */
  private void delete(WriteBatch writes, byte[] from, byte[] to) throws RocksDBException {
    try (RocksIterator records = db.newIterator()) {
      records.seek(from);
      if (records.isValid() && Arrays.compareUnsigned(records.key(), to) < 0) {
        writes.deleteRange(from, to);
      }
      records.status();
    }
  }

  /**
   * Compacts the files, which returns the space of deleted records to the disk. This may take long,
   * may run on another thread, and is cancelled by a close.
   */
  void shrink() throws RocksDBException {
    synchronized (shrinking) {
      if (closing) {
        return;
      }
      try {
        db.flush(flush);
        db.compactRange(db.getDefaultColumnFamily(), null, null, compactAll);
      } catch (RocksDBException e) {
        if (!closing) {
          throw e;
        }
      }
    }
  }

  @Override
  public void close() {
    closing = true;
    compactAll.setCanceled(true);
    synchronized (shrinking) {
      db.close();
      compactAll.close();
      flush.close();
      options.close();
      events.close();
    }
  }
}
