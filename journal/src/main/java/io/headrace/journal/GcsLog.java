package io.headrace.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.journal.GcsObject.Kind;
import io.headrace.journal.GcsSnapshot.Part;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A writer's view of the log in a bucket. Not thread-safe.
 *
 * <p>After a {@link GcsFailure} of {@link #append} or {@link #replace}, the records may or may not
 * be in the log; {@link #settle} makes sure that they never count.
 */
final class GcsLog {
  /*
   * A writer creates log object N conditionally, if N does not exist, and only once N-1 exists. Two
   * writers can't both create N. So a writer whose epoch begins at N has read everything
   * acknowledged below N, and its predecessor finds N taken. N must never be free again, so epoch
   * objects are never deleted.
   *
   * Other objects are deleted once a snapshot has replaced them, and a request may be carried out
   * late or twice. A late copy of a deleted object is below the snapshot and is ignored. But an
   * attempt with an unknown outcome may have succeeded, been followed by a newer epoch, and been
   * deleted by that epoch's snapshot: N is then free, and no longer ours to take. So after an
   * unknown outcome, N counts as ours only if N+1, the newer epoch's object, does not exist.
   *
   * An abandoned attempt, whose records were reported as failed, may still arrive at N before its
   * replacement. It stays there; the next object goes to N+1 and names N-1 as its predecessor, so N
   * does not count.
   */

  /** Stands for no log number. */
  private static final long NONE = 0;

  /** Most attempts of a start to become the newest. */
  private static final int MAX_STARTS = 100;

  private final GcsBucket bucket;
  private final GcsRetry retry;
  private final GcsSettings settings;
  private final UUID journal;
  private final UUID writer;
  private final long epoch;

  private long next;
  private long previous;

  /** Whether an attempt at {@code next} has an unknown outcome. */
  private boolean outcomeUnknown;

  private long base;
  private GcsSnapshot snapshot;
  private final List<Long> epochs;
  private long first;

  private long lastRecord;
  private long partsWritten;

  /** A successor has taken over the log. */
  static final class Superseded extends Exception {
    private static final long serialVersionUID = 1;

    Superseded(String message) {
      super(message);
    }

    StatusException status() {
      return new StatusException(StatusCode.FAILED_PRECONDITION, String.valueOf(getMessage()));
    }
  }

  private GcsLog(
      GcsBucket bucket,
      GcsRetry retry,
      GcsSettings settings,
      UUID journal,
      UUID writer,
      long epoch,
      GcsLoader.Found found,
      long number) {
    this.bucket = bucket;
    this.retry = retry;
    this.settings = settings;
    this.journal = journal;
    this.writer = writer;
    this.epoch = epoch;
    base = found.base();
    snapshot = found.snapshot();
    epochs = new ArrayList<>(found.epochs());
    if (epochs.isEmpty() || epochs.getLast() < number) {
      epochs.add(number);
    }
    first = found.first();
    lastRecord = found.first() + found.records().size() - 1;
    previous = number;
    next = number + 1;
  }

  /**
   * A log taken over by this process, and its content.
   *
   * @param log the log to write to
   * @param records the records in it
   * @param garbage the names of objects no longer needed
   */
  record Opened(GcsLog log, List<byte[]> records, List<String> garbage) {}

  /**
   * Takes over the log in {@code bucket} with a new epoch, which fences off the predecessor.
   *
   * @throws StatusException as {@link GcsLoader#load} does, before any change; UNAVAILABLE if other
   *     processes keep beginning newer epochs
   */
  static Opened open(GcsBucket bucket, GcsRetry retry, GcsSettings settings, WorkDirOwner me)
      throws GcsFailure {
    GcsLoader loader = new GcsLoader(bucket, retry);
    UUID writer = UUID.randomUUID();
    byte[] name = me.toString().getBytes(UTF_8);
    GcsLoader.Found found = loader.load(writer);
    for (int i = 0; i < MAX_STARTS; i++) {
      long epoch = found.epoch() + 1;
      UUID journal = found.journal() == null ? UUID.randomUUID() : found.journal();
      Epochs epochs = new Epochs(bucket, retry, journal, writer, epoch, name);
      long number = epochs.begin(found.last() + 1, found.journal() == null);
      // The number may have been free because its object was replaced and deleted; later objects
      // exist then.
      boolean unchanged = found.isWhole() && number == found.last() + 1 && loader.last() == number;
      if (!unchanged) {
        found = loader.load(writer);
      }
      if (found.isWhole() && (unchanged || (found.last() == number && found.epoch() < epoch))) {
        epochs.writeHeader(found.hasHeader());
        List<String> garbage = new ArrayList<>(found.replaced());
        garbage.addAll(loader.unreferencedParts(found.snapshot(), epoch));
        return new Opened(
            new GcsLog(bucket, retry, settings, journal, writer, epoch, found, number),
            found.records(),
            garbage);
      }
    }
    throw StatusException.of(
        StatusCode.UNAVAILABLE,
        "work_dir %s: others write the journal and start anew all the time",
        bucket.location());
  }

  /** Begins an epoch. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Epochs(
      GcsBucket bucket, GcsRetry retry, UUID journal, UUID writer, long epoch, byte[] name) {

    /**
     * Takes the first free number from {@code number} on; {@link #NONE} if {@code onlyThatNumber}
     * and that number is taken.
     */
    long begin(long number, boolean onlyThatNumber) throws GcsFailure {
      for (long n = number; ; n++) {
        GcsObject object =
            new GcsObject(
                Kind.EPOCH, journal, writer, epoch, n, n - 1, GcsObject.UNKNOWN, 0, List.of(name));
        // An existing object may be this one, created by an earlier attempt. A second copy is
        // harmless, and a check would let a busy writer always stay ahead.
        if (retry.call(
            () -> bucket.create(GcsObjectNames.log(object.number()), object.toBytes()))) {
          return n;
        }
        if (onlyThatNumber) {
          return NONE;
        }
      }
    }

    void writeHeader(boolean isThere) throws GcsFailure {
      if (!isThere) {
        GcsObject header = new GcsObject(Kind.HEADER, journal, journal, 0, 0, 0, 0, 0, List.of());
        // Other processes would write the same header.
        var _ = retry.call(() -> bucket.create(GcsObjectNames.HEADER, header.toBytes()));
      }
    }
  }

  /** The journal's id. */
  UUID journal() {
    return journal;
  }

  long epoch() {
    return epoch;
  }

  /** The number of the last record in the log. */
  long lastRecord() {
    return lastRecord;
  }

  /** Appends {@code records} as one batch. */
  void append(List<byte[]> records) throws GcsFailure, Superseded {
    commit(Kind.BATCH, lastRecord + 1, records, true);
    lastRecord += records.size();
  }

  /** Replaces all records by {@code records}; returns the names of objects no longer needed. */
  List<String> replace(List<byte[]> records) throws GcsFailure, Superseded {
    long newFirst = lastRecord + 1;
    List<String> garbage = commitSnapshot(newFirst, writeParts(records));
    first = newFirst;
    lastRecord += records.size();
    return garbage;
  }

  /** Whether the log has enough objects for a roll-up. */
  boolean needsRollUp() {
    return previous - base >= settings.rollUpAfter();
  }

  /**
   * Replaces the log objects by a snapshot of the same records; returns the names of objects no
   * longer needed. Merges small parts, which keeps their number low.
   *
   * @param records all records in the log
   */
  List<String> rollUp(List<byte[]> records) throws GcsFailure, Superseded {
    List<Part> parts = new ArrayList<>(snapshot.parts());
    int covered = Math.toIntExact(snapshot.records());
    long bytes = bytes(records.subList(covered, records.size()));
    while (!parts.isEmpty()
        && parts.getLast().bytes() <= 2 * bytes
        && parts.getLast().bytes() + bytes <= settings.partBytes()) {
      Part small = parts.removeLast();
      covered -= Math.toIntExact(small.records());
      bytes += small.bytes();
    }
    parts.addAll(writeParts(records.subList(covered, records.size())));
    return commitSnapshot(first, parts);
  }

  /** Attempts once to bring the log in order after a failure. */
  void settle() throws GcsFailure, Superseded {
    commit(Kind.BATCH, lastRecord + 1, List.of(), false);
  }

  /** Checks that no successor has taken over. */
  void check() throws GcsFailure, Superseded {
    requireOurs(next);
  }

  /** Writes the hint of the log's end, which makes the loss of the last objects detectable. */
  void writeHint() throws GcsFailure {
    GcsObject hint =
        new GcsObject(
            Kind.ACKNOWLEDGED, journal, writer, epoch, previous, 0, base, lastRecord, List.of());
    bucket.overwrite(GcsObjectNames.ACKNOWLEDGED, hint.toBytes());
  }

  private List<Part> writeParts(List<byte[]> records) throws GcsFailure {
    List<Part> parts = new ArrayList<>();
    int from = 0;
    while (from < records.size()) {
      int to = from + 1;
      long bytes = records.get(from).length;
      while (to < records.size() && bytes + records.get(to).length <= settings.partBytes()) {
        bytes += records.get(to).length;
        to++;
      }
      parts.add(writePart(records.subList(from, to)));
      from = to;
    }
    return parts;
  }

  private Part writePart(List<byte[]> records) throws GcsFailure {
    long number = ++partsWritten;
    GcsObject object = new GcsObject(Kind.PART, journal, writer, epoch, number, 0, 0, 0, records);
    byte[] content = object.toBytes();
    String name = GcsObjectNames.part(epoch, number);
    // No other writer has this epoch, so an existing object is a copy of this one.
    var _ = retry.call(() -> bucket.create(name, content));
    return new Part(epoch, number, records.size(), bytes(records));
  }

  private List<String> commitSnapshot(long firstRecord, List<Part> parts)
      throws GcsFailure, Superseded {
    GcsSnapshot replacement = new GcsSnapshot(epochs, parts);
    commit(Kind.SNAPSHOT, firstRecord, List.of(replacement.toBytes()), true);
    List<String> garbage = new ArrayList<>();
    LongStream.range(Math.max(1, base), previous)
        .filter(number -> !epochs.contains(number))
        .forEach(number -> garbage.add(GcsObjectNames.log(number)));
    snapshot.parts().stream()
        .filter(part -> !parts.contains(part))
        .forEach(part -> garbage.add(part.name()));
    base = previous;
    snapshot = replacement;
    return garbage;
  }

  private void commit(Kind kind, long firstRecord, List<byte[]> items, boolean retrying)
      throws GcsFailure, Superseded {
    GcsRetry.Attempts attempts = retry.begin();
    while (true) {
      long objectBase = kind == Kind.SNAPSHOT ? next : base;
      GcsObject object =
          new GcsObject(
              kind, journal, writer, epoch, next, previous, objectBase, firstRecord, items);
      try {
        boolean committed = create(object.toBytes());
        outcomeUnknown = false;
        long number = next++;
        if (committed) {
          previous = number;
          return;
        }
      } catch (GcsFailure e) {
        outcomeUnknown = true;
        if (!retrying) {
          throw e;
        }
        attempts.failed(e);
      }
    }
  }

  /** Creates log object {@code next}; false if an abandoned attempt has arrived there. */
  private boolean create(byte[] content) throws GcsFailure, Superseded {
    String name = GcsObjectNames.log(next);
    boolean created = bucket.create(name, content);
    if (!created) {
      byte[] there =
          bucket
              .read(name)
              .orElseThrow(() -> new GcsFailure(0, name + " existed a moment ago and is gone"));
      if (!Arrays.equals(there, content)) {
        requireOurs(there);
        return false;
      }
    }
    if (outcomeUnknown) {
      requireOurs(next + 1);
    }
    return true;
  }

  private void requireOurs(long number) throws GcsFailure, Superseded {
    Optional<byte[]> there = bucket.read(GcsObjectNames.log(number));
    if (there.isPresent()) {
      requireOurs(there.get());
    }
  }

  @SuppressWarnings("UnusedException") // the object of a newer version needs no further details
  private void requireOurs(byte[] content) throws Superseded {
    Optional<GcsObject> object;
    try {
      object = GcsObject.parse(content);
    } catch (GcsObject.NewerFormat e) {
      // A newer version has taken over.
      throw superseded(Optional.empty());
    }
    if (object.isEmpty() || !object.get().writer().equals(writer)) {
      throw superseded(object);
    }
  }

  private Superseded superseded(Optional<GcsObject> by) {
    @Nullable String who =
        by.filter(object -> object.kind() == Kind.EPOCH)
            .map(object -> new String(object.items().getFirst(), UTF_8))
            .orElse(null);
    return new Superseded(
        "work_dir "
            + bucket.location()
            + " was taken over by another dispatcher that was started later"
            + (who == null ? "" : " (" + who + ")"));
  }

  private static long bytes(List<byte[]> records) {
    return records.stream().mapToLong(record -> record.length).sum();
  }
}
