package io.headrace.journal;

import io.headrace.journal.GcsObject.Kind;
import io.headrace.journal.GcsSnapshot.Part;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal in a bucket and verifies it: the log has no gap from its base snapshot to its
 * end, every object matches its checksum, the records are numbered without a gap, and they reach
 * the acknowledged end. Changes nothing.
 */
final class GcsLoader {
  /** Number of concurrent reads. */
  private static final int READERS = 16;

  /** Reads before a journal counts as busy: its writer deletes objects while they are read. */
  private static final int BUSY_AFTER_TRIES = 3;

  /** Most reads of a journal that keeps changing. */
  private static final int MAX_TRIES = 100;

  private final GcsBucket bucket;
  private final GcsLocation location;
  private final GcsRetry retry;

  GcsLoader(GcsBucket bucket, GcsRetry retry) {
    this.bucket = bucket;
    this.location = bucket.location();
    this.retry = retry;
  }

  /**
   * The content of a journal.
   *
   * @param journal its id; null if nothing is there
   * @param hasHeader whether its creation was completed
   * @param epoch the greatest epoch of other writers' objects; 0 if there is none
   * @param last the greatest log number; 0 if there is none
   * @param base the log number of the base snapshot; 0 if there is none
   * @param snapshot the base snapshot's content
   * @param epochs the log numbers of the epoch objects
   * @param first the number of the first record
   * @param records all records
   * @param replaced the names of log objects that a snapshot has replaced
   * @param isWhole false if the writer replaces objects faster than they can be read; only the
   *     journal's id, epoch and last number are then known
   */
  record Found(
      @Nullable UUID journal,
      boolean hasHeader,
      long epoch,
      long last,
      long base,
      GcsSnapshot snapshot,
      List<Long> epochs,
      long first,
      List<byte[]> records,
      List<String> replaced,
      boolean isWhole) {

    private static Found nothing() {
      return new Found(
          null, false, 0, 0, 0, GcsSnapshot.NONE, List.of(), 1, List.of(), List.of(), true);
    }
  }

  /** A missing or damaged object, possibly one that the writer deleted during the read. */
  private static final class Damage extends Exception {
    private static final long serialVersionUID = 1;

    Damage(String message) {
      super(message);
    }
  }

  /**
   * Loads the journal.
   *
   * @param self the caller's writer id, whose objects don't count for the epoch
   * @throws StatusException DATA_LOSS, naming record and object, if something is damaged or
   *     missing; FAILED_PRECONDITION if the content is foreign or of a newer format
   */
  Found load(UUID self) throws GcsFailure {
    List<Long> listed = List.of();
    for (int i = 0; ; i++) {
      Optional<GcsObject> acknowledged = acknowledged();
      Optional<GcsObject> header = header();
      List<Long> numbers = numbers();
      try {
        return header.isEmpty() && numbers.isEmpty()
            ? nothing()
            : read(self, header, acknowledged, numbers);
      } catch (Damage e) {
        // A live writer may have deleted objects that its new snapshot replaced, so read again.
        if (i >= BUSY_AFTER_TRIES && !numbers.equals(listed)) {
          Optional<Found> busy = busy(numbers.getLast());
          if (busy.isPresent()) {
            return busy.get();
          }
          if (i >= MAX_TRIES) {
            throw new GcsFailure(0, location + " changes faster than it can be read");
          }
        }
        if (numbers.equals(listed)) {
          throw StatusException.of(
              StatusCode.DATA_LOSS,
              "the journal in work_dir %s is damaged: %s",
              location,
              String.valueOf(e.getMessage()));
        }
        listed = numbers;
      }
    }
  }

  /** The little that can be read of a busy journal; empty if even its last object is gone. */
  private Optional<Found> busy(long last) throws GcsFailure {
    Optional<GcsObject> object =
        content(GcsObjectNames.log(last)).flatMap(bytes -> parse(GcsObjectNames.log(last), bytes));
    return object.map(o ->
        new Found(
            o.journal(),
            true,
            o.epoch(),
            last,
            0,
            GcsSnapshot.NONE,
            List.of(),
            1,
            List.of(),
            List.of(),
            false));
  }

  /** The greatest log number; 0 if there is none. */
  long last() throws GcsFailure {
    List<Long> numbers = numbers();
    return numbers.isEmpty() ? 0 : numbers.getLast();
  }

  /** The names of snapshot parts, up to {@code epoch}, that {@code snapshot} does not refer to. */
  List<String> unreferencedParts(GcsSnapshot snapshot, long epoch) throws GcsFailure {
    Set<String> used = new HashSet<>(snapshot.parts().stream().map(Part::name).toList());
    return retry.call(() -> bucket.list("snapshot/")).stream()
        .filter(name -> !used.contains(name))
        .filter(name -> GcsObjectNames.partEpoch(name).orElse(Long.MAX_VALUE) <= epoch)
        .toList();
  }

  private Optional<GcsObject> header() throws GcsFailure {
    Optional<byte[]> content = retry.call(() -> bucket.read(GcsObjectNames.HEADER));
    if (content.isEmpty()) {
      return Optional.empty();
    }
    Optional<GcsObject> header = parse(GcsObjectNames.HEADER, content.get());
    if (header.isEmpty()) {
      throw StatusException.of(
          StatusCode.DATA_LOSS,
          "the journal in work_dir %s is damaged: %s does not match its checksum",
          location,
          location.url(GcsObjectNames.HEADER));
    }
    return header;
  }

  /** The hint of the acknowledged end. It is optional: without it the log ends where it ends. */
  private Optional<GcsObject> acknowledged() throws GcsFailure {
    Optional<byte[]> content = retry.call(() -> bucket.read(GcsObjectNames.ACKNOWLEDGED));
    return content.flatMap(bytes -> parse(GcsObjectNames.ACKNOWLEDGED, bytes));
  }

  private List<Long> numbers() throws GcsFailure {
    return retry.call(() -> bucket.list("log/")).stream()
        .map(GcsObjectNames::logNumber)
        .flatMapToLong(number -> number.stream())
        .boxed()
        .toList();
  }

  private Found nothing() throws GcsFailure {
    for (String name : retry.call(bucket::first)) {
      if (name.startsWith("tf_data_dispatcher_journal")) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "work_dir %s holds the journal of a TensorFlow dispatcher (%s), which Headrace does not"
                + " read; give another path",
            location,
            name);
      }
      if (!GcsObjectNames.isOurs(name)) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "work_dir %s holds no journal of Headrace, but other objects (%s); give an empty path,"
                + " or one that Headrace has written",
            location,
            name);
      }
    }
    return Found.nothing();
  }

  private Found read(
      UUID self, Optional<GcsObject> header, Optional<GcsObject> acknowledged, List<Long> numbers)
      throws GcsFailure, Damage {
    if (numbers.isEmpty()) {
      throw new Damage("record 1 is missing; there are no objects " + location.url("log/*"));
    }
    TreeMap<Long, GcsObject> log = new TreeMap<>();
    long last = numbers.getLast();
    long base = base(numbers);
    Records records = new Records();
    GcsSnapshot snapshot = readSnapshot(base, log, records);
    readLog(base, last, log, records);
    UUID journal = header.orElse(log.lastEntry().getValue()).journal();
    requireOneJournal(journal, log, records);
    requireHeader(header, last, log);
    requireAcknowledged(journal, acknowledged, last, records);
    List<Long> epochs = new ArrayList<>(snapshot.epochs());
    log.tailMap(base, false).values().stream()
        .filter(object -> object.kind() == Kind.EPOCH)
        .forEach(object -> epochs.add(object.number()));
    return new Found(
        journal,
        header.isPresent(),
        log.values().stream()
            .filter(object -> !object.writer().equals(self))
            .mapToLong(GcsObject::epoch)
            .max()
            .orElse(0),
        last,
        base,
        snapshot,
        epochs,
        records.first,
        records.all,
        numbers.stream()
            .filter(number -> number < base && !epochs.contains(number))
            .map(GcsObjectNames::log)
            .toList(),
        true);
  }

  /** The records read so far. */
  private static final class Records {
    final List<byte[]> all = new ArrayList<>();
    long first = 1;

    long next() {
      return first + all.size();
    }
  }

  /** Finds the base snapshot, starting at the end of the log: most objects name it. */
  private long base(List<Long> numbers) throws GcsFailure, Damage {
    @Nullable Damage first = null;
    for (long number : numbers.reversed()) {
      try {
        GcsObject object = logObject(number, content(GcsObjectNames.log(number)), 0);
        if (object.base() != GcsObject.UNKNOWN) {
          return object.base();
        }
      } catch (Damage e) {
        // Objects below may name it; the damage is then reported with the number of its record.
        first = first == null ? e : first;
      }
    }
    if (first != null && numbers.size() < numbers.getLast()) {
      throw first;
    }
    return 0;
  }

  private GcsSnapshot readSnapshot(long base, SortedMap<Long, GcsObject> log, Records records)
      throws GcsFailure, Damage {
    if (base == 0) {
      return GcsSnapshot.NONE;
    }
    GcsObject object = logObject(base, content(GcsObjectNames.log(base)), 0);
    log.put(base, object);
    if (object.kind() != Kind.SNAPSHOT) {
      throw new Damage(
          "the snapshot is missing; " + location.url(GcsObjectNames.log(base)) + " is none");
    }
    GcsSnapshot snapshot = GcsSnapshot.parse(object.items().getFirst());
    records.first = object.first();
    List<Optional<byte[]>> contents = readAll(snapshot.parts().stream().map(Part::name).toList());
    for (int i = 0; i < contents.size(); i++) {
      Part part = snapshot.parts().get(i);
      GcsObject read = object(part.name(), contents.get(i), records.next());
      if (read.kind() != Kind.PART
          || read.epoch() != part.epoch()
          || read.number() != part.number()
          || read.items().size() != part.records()) {
        throw damaged(records.next(), part.name(), "is not the part that was written");
      }
      records.all.addAll(read.items());
    }
    return snapshot;
  }

  private void readLog(long base, long last, SortedMap<Long, GcsObject> log, Records records)
      throws GcsFailure, Damage {
    List<Long> numbers = LongStream.rangeClosed(base + 1, last).boxed().toList();
    List<Optional<byte[]>> contents = readAll(numbers.stream().map(GcsObjectNames::log).toList());
    long next = records.next();
    for (int i = 0; i < contents.size(); i++) {
      GcsObject object = logObject(numbers.get(i), contents.get(i), next);
      log.put(object.number(), object);
      if (object.kind() == Kind.BATCH) {
        next = object.first() + object.items().size();
      }
    }
    Deque<GcsObject> chain = new ArrayDeque<>();
    for (long number = last; number > base; number = chain.getFirst().previous()) {
      GcsObject object = log.get(number);
      if (object == null) {
        throw damaged(
            records.next(), GcsObjectNames.log(number), "is named as a predecessor, and missing");
      }
      chain.addFirst(object);
    }
    for (GcsObject object : chain) {
      if (object.kind() == Kind.BATCH) {
        if (object.first() != records.next()) {
          throw damaged(
              records.next(),
              GcsObjectNames.log(object.number()),
              "begins with record " + object.first());
        }
        records.all.addAll(object.items());
      }
    }
  }

  private void requireOneJournal(UUID journal, SortedMap<Long, GcsObject> log, Records records)
      throws Damage {
    for (GcsObject object : log.values()) {
      if (!object.journal().equals(journal)) {
        throw damaged(
            records.next(), GcsObjectNames.log(object.number()), "belongs to another journal");
      }
    }
  }

  /** Only a journal without records may lack its header. */
  private void requireHeader(Optional<GcsObject> header, long last, SortedMap<Long, GcsObject> log)
      throws Damage {
    boolean wasUsed =
        log.size() < last || log.values().stream().anyMatch(object -> object.kind() != Kind.EPOCH);
    if (header.isEmpty() && wasUsed) {
      throw new Damage(
          "its log is there, but not its header; "
              + location.url(GcsObjectNames.HEADER)
              + " is missing");
    }
  }

  private void requireAcknowledged(
      UUID journal, Optional<GcsObject> acknowledged, long last, Records records) throws Damage {
    if (acknowledged.isEmpty() || !acknowledged.get().journal().equals(journal)) {
      return;
    }
    if (last < acknowledged.get().number()) {
      throw new Damage(
          "record "
              + Math.min(records.next(), acknowledged.get().first())
              + " is missing; "
              + location.url(GcsObjectNames.log(last + 1))
              + " is not there, although all to number "
              + acknowledged.get().number()
              + " were acknowledged");
    }
  }

  private GcsObject logObject(long number, Optional<byte[]> content, long record) throws Damage {
    String name = GcsObjectNames.log(number);
    GcsObject object = object(name, content, record);
    if (object.number() != number || object.previous() >= number || object.base() > number) {
      throw damaged(record, name, "is object " + object.number() + " of the log");
    }
    return object;
  }

  /**
   * Parses an object.
   *
   * @param record the expected number of its first record, for error messages; 0 if unknown
   */
  private GcsObject object(String name, Optional<byte[]> content, long record) throws Damage {
    if (content.isEmpty()) {
      throw new Damage(
          (record == 0 ? "a record" : "record " + record)
              + " is missing; "
              + location.url(name)
              + " is not there");
    }
    Optional<GcsObject> object = parse(name, content.get());
    if (object.isEmpty()) {
      throw damaged(
          record == 0 ? GcsObject.firstOf(content.get()) : record,
          name,
          "does not match its checksum");
    }
    return object.get();
  }

  private Damage damaged(long record, String name, String what) {
    return new Damage("record " + record + " is damaged; " + location.url(name) + " " + what);
  }

  private Optional<GcsObject> parse(String name, byte[] content) {
    try {
      return GcsObject.parse(content);
    } catch (GcsObject.NewerFormat e) {
      throw new StatusException(
          StatusCode.FAILED_PRECONDITION,
          "the journal in work_dir " + location + " (" + name + ") " + e.getMessage(),
          e);
    }
  }

  private Optional<byte[]> content(String name) throws GcsFailure {
    return retry.call(() -> bucket.read(name));
  }

  /** Reads objects concurrently. */
  private List<Optional<byte[]>> readAll(List<String> names) throws GcsFailure {
    List<Optional<byte[]>> contents = new ArrayList<>(names.size());
    try (ExecutorService readers =
        Executors.newFixedThreadPool(
            READERS, Thread.ofPlatform().daemon().name("journal-reader-", 0).factory())) {
      List<Future<Optional<byte[]>>> reads = new ArrayList<>(names.size());
      names.forEach(name -> reads.add(readers.submit(() -> content(name))));
      try {
        for (Future<Optional<byte[]>> read : reads) {
          contents.add(read.get());
        }
      } catch (ExecutionException e) {
        readers.shutdownNow();
        if (e.getCause() instanceof GcsFailure failure) {
          throw failure;
        }
        throw new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        readers.shutdownNow();
        Thread.currentThread().interrupt();
        throw new GcsFailure(0, "read " + names.getFirst() + ": interrupted", e);
      }
    }
    return contents;
  }
}
