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
 * The log in a bucket, as the one who writes it sees it. Not thread-safe.
 *
 * <p>After a {@link GcsFailure} of {@link #append} or {@link #replace} it is unknown whether the
 * records are in the log; {@link #settle} sees to it that they never count, or that they are not
 * there.
 */
final class GcsLog {
  /*
   * Log object N is created, if there is none, only when N-1 is known to be there. One writer's
   * object N and another's exclude one another, so whoever begins an epoch at N has all that was
   * ever acknowledged below N, and its predecessor finds N taken. For that N must never be free
   * again: epochs' objects are never deleted.
   *
   * Others are, once a snapshot has replaced them, and a request may be carried out late, or twice.
   * A second copy of an object that was deleted is below the snapshot, where nobody looks. But an
   * attempt whose outcome is unknown may have succeeded, been followed by a newer epoch, and been
   * deleted by that epoch's snapshot: then N is free, though no longer ours to take. So after such
   * an attempt N counts as ours only if there is no N+1, which is the newer epoch's object.
   *
   * An attempt that was given up, because its records were told to have failed, may come to be at N
   * before the next one does. It is left there; the next object goes to N+1 and says that it follows
   * N-1, so N does not count.
   */

  /** No number of the log. */
  private static final long NONE = 0;

  /** How often a start tries to be the newest. */
  private static final int MAX_STARTS = 100;

  private final GcsBucket bucket;
  private final GcsRetry retry;
  private final GcsSettings settings;
  private final UUID journal;
  private final UUID writer;
  private final long epoch;

  private long next;
  private long previous;

  /** The outcome of an attempt at {@code next} is unknown. */
  private boolean doubtful;

  private long base;
  private GcsSnapshot snapshot;
  private final List<Long> epochs;
  private long first;

  private long lastRecord;
  private long partsWritten;

  /** Someone else writes the log now. */
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
   * A log that this process has made its own, and what was in it.
   *
   * @param log to write to
   * @param records that are in it
   * @param garbage the names of objects that nobody needs any more
   */
  record Opened(GcsLog log, List<byte[]> records, List<String> garbage) {}

  /**
   * Makes the log in {@code bucket} this process's own, as a new epoch, which ends the one before.
   *
   * @throws StatusException as {@link GcsLoader#load} does, before anything was changed; or
   *     UNAVAILABLE if others begin newer epochs all the time
   */
  static Opened open(GcsBucket bucket, GcsRetry retry, GcsSettings settings, Owner me)
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
      // It may be free because what was there is replaced and deleted. Then there are later ones.
      boolean unchanged = found.isWhole() && number == found.last() + 1 && loader.last() == number;
      if (!unchanged) {
        found = loader.load(writer);
      }
      if (found.isWhole() && (unchanged || (found.last() == number && found.epoch() < epoch))) {
        epochs.writeHeader(found.hasHeader());
        List<String> garbage = new ArrayList<>(found.replaced());
        garbage.addAll(loader.looseParts(found.snapshot(), epoch));
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

  /** How an epoch begins. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  private record Epochs(
      GcsBucket bucket, GcsRetry retry, UUID journal, UUID writer, long epoch, byte[] name) {

    /** Takes the first free number from {@code number} on; {@link #NONE} if only that would do. */
    long begin(long number, boolean onlyThere) throws GcsFailure {
      for (long n = number; ; n++) {
        GcsObject object =
            new GcsObject(
                Kind.EPOCH, journal, writer, epoch, n, n - 1, GcsObject.UNKNOWN, 0, List.of(name));
        // If it is there it may be a copy of this, and then there are two, which does no harm. To
        // look would take so long that a busy writer is always ahead.
        if (retry.call(() -> bucket.create(GcsNames.log(object.number()), object.toBytes()))) {
          return n;
        }
        if (onlyThere) {
          return NONE;
        }
      }
    }

    void writeHeader(boolean isThere) throws GcsFailure {
      if (!isThere) {
        GcsObject header = new GcsObject(Kind.HEADER, journal, journal, 0, 0, 0, 0, 0, List.of());
        // Others who find none would write the same.
        var _ = retry.call(() -> bucket.create(GcsNames.HEADER, header.toBytes()));
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

  /** The number of the last record that is in the log. */
  long lastRecord() {
    return lastRecord;
  }

  /** Puts {@code records}, as one, at the end. */
  void append(List<byte[]> records) throws GcsFailure, Superseded {
    commit(Kind.BATCH, lastRecord + 1, records, true);
    lastRecord += records.size();
  }

  /** Puts {@code records} in the place of all there are; gives what nobody needs any more. */
  List<String> replace(List<byte[]> records) throws GcsFailure, Superseded {
    long newFirst = lastRecord + 1;
    List<String> garbage = commitSnapshot(newFirst, writeParts(records));
    first = newFirst;
    lastRecord += records.size();
    return garbage;
  }

  /** Whether a start would have so many log objects to read that a snapshot is due. */
  boolean isLong() {
    return previous - base >= settings.rollUpAfter();
  }

  /**
   * Puts a snapshot that says the same in the place of the log objects; gives what nobody needs any
   * more. Small parts are written anew together, so that there are never many.
   *
   * @param records all that are in the log
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

  /** Tries once to have the log in order after a failure. */
  void settle() throws GcsFailure, Superseded {
    commit(Kind.BATCH, lastRecord + 1, List.of(), false);
  }

  /** Looks whether it is still this process's own. */
  void check() throws GcsFailure, Superseded {
    requireOurs(next);
  }

  /** Says how far the log goes, so that the loss of its end can be told from an end. */
  void note() throws GcsFailure {
    GcsObject hint =
        new GcsObject(
            Kind.ACKNOWLEDGED, journal, writer, epoch, previous, 0, base, lastRecord, List.of());
    bucket.overwrite(GcsNames.ACKNOWLEDGED, hint.toBytes());
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
    String name = GcsNames.part(epoch, number);
    // No other writer has this epoch, so if it is there it is a copy of this.
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
        .forEach(number -> garbage.add(GcsNames.log(number)));
    snapshot.parts().stream()
        .filter(part -> !parts.contains(part))
        .forEach(part -> garbage.add(part.name()));
    base = previous;
    snapshot = replacement;
    return garbage;
  }

  private void commit(Kind kind, long firstRecord, List<byte[]> items, boolean patiently)
      throws GcsFailure, Superseded {
    GcsRetry.Attempts attempts = retry.begin();
    while (true) {
      long itsBase = kind == Kind.SNAPSHOT ? next : base;
      GcsObject object =
          new GcsObject(kind, journal, writer, epoch, next, previous, itsBase, firstRecord, items);
      try {
        boolean committed = create(object.toBytes());
        doubtful = false;
        long number = next++;
        if (committed) {
          previous = number;
          return;
        }
      } catch (GcsFailure e) {
        doubtful = true;
        if (!patiently) {
          throw e;
        }
        attempts.failed(e);
      }
    }
  }

  /**
   * Creates log object {@code next}; false if an attempt that was given up has come to be there.
   */
  private boolean create(byte[] content) throws GcsFailure, Superseded {
    String name = GcsNames.log(next);
    boolean created = bucket.create(name, content);
    if (!created) {
      byte[] there =
          bucket
              .read(name)
              .orElseThrow(() -> new GcsFailure(0, name + " was there, and is not any more"));
      if (!Arrays.equals(there, content)) {
        requireOurs(there);
        return false;
      }
    }
    if (doubtful) {
      requireOurs(next + 1);
    }
    return true;
  }

  private void requireOurs(long number) throws GcsFailure, Superseded {
    Optional<byte[]> there = bucket.read(GcsNames.log(number));
    if (there.isPresent()) {
      requireOurs(there.get());
    }
  }

  @SuppressWarnings("UnusedException") // that a newer version wrote says all there is to say
  private void requireOurs(byte[] content) throws Superseded {
    Optional<GcsObject> object;
    try {
      object = GcsObject.parse(content);
    } catch (GcsObject.NewerFormat e) {
      // A later version, which is newer than this in every respect.
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
