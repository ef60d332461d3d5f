package io.headrace.kernels.summary;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.tensorflow.Event;
import io.headrace.proto.tensorflow.SourceMetadata;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes an event file in TensorFlow's record format: a length, its masked checksum, the bytes,
 * their masked checksum. Each record is an Event (tensorflow/core/util/event.proto); the first one
 * carries the file version. File names follow TensorFlow's pattern, so that TensorBoard finds them.
 *
 * <p>Events reach the file in batches of whole records: when more than a given number are pending,
 * when the last flush is longer ago than a given duration, and on {@link #flush} and {@link
 * #close}. Thread-safe.
 */
final class EventFileWriter implements AutoCloseable {
  private static final String FILE_VERSION = "brain.Event:2";
  private static final String SOURCE = "tensorflow.core.util.events_writer";

  /** The size of pending records that forces a flush, whatever their number. */
  private static final int MAX_PENDING_BYTES = 1 << 20;

  /** Makes file names unique within the process. */
  private static final AtomicLong NEXT_FILE = new AtomicLong();

  private final String file;
  private final long maxPending;
  private final long flushNanos;
  private final Ticker ticker;
  private final OutputStream out;

  @GuardedBy("this")
  private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

  @GuardedBy("this")
  private int pendingEvents;

  @GuardedBy("this")
  private long flushedAtNanos;

  @GuardedBy("this")
  private boolean isClosed;

  private EventFileWriter(
      String file, OutputStream out, long maxPending, Duration flushAfter, Ticker ticker) {
    this.file = file;
    this.out = out;
    this.maxPending = maxPending;
    this.flushNanos = flushAfter.toNanos();
    this.ticker = ticker;
    this.flushedAtNanos = ticker.nanoTime();
  }

  /**
   * Creates a new event file in {@code folder}, which is created if it does not exist.
   *
   * @param maxPending the number of pending events beyond which a write flushes
   * @param flushAfter the time since the last flush after which a write flushes
   * @param suffix the end of the file name
   */
  public static EventFileWriter open(
      String folder,
      long maxPending,
      Duration flushAfter,
      String suffix,
      Ticker ticker,
      InstantSource clock) {
    DataFiles.createFolders(folder);
    Instant now = clock.instant();
    String name =
        String.format(
            Locale.ROOT,
            "events.out.tfevents.%010d.%s.%d.%d%s%s",
            now.getEpochSecond(),
            hostName(),
            ProcessHandle.current().pid(),
            NEXT_FILE.getAndIncrement(),
            suffix.startsWith(".") ? "" : ".",
            suffix);
    String file = folder.isEmpty() || folder.endsWith("/") ? folder + name : folder + "/" + name;
    EventFileWriter writer =
        new EventFileWriter(file, DataFiles.create(file), maxPending, flushAfter, ticker);
    writer.write(
        Event.newBuilder()
            .setWallTime((double) now.getEpochSecond())
            .setFileVersion(FILE_VERSION)
            .setSourceMetadata(SourceMetadata.newBuilder().setWriter(SOURCE))
            .build());
    writer.flush();
    return writer;
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName().replace('/', '_');
    } catch (UnknownHostException _) {
      return "localhost";
    }
  }

  /** The file name. */
  public String file() {
    return file;
  }

  /** Appends {@code event}, buffered until the next flush. */
  public synchronized void write(Event event) {
    checkOpen();
    byte[] record = event.toByteArray();
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    length.putLong(record.length);
    pending.writeBytes(length.array());
    pending.writeBytes(checksum(length.array()));
    pending.writeBytes(record);
    pending.writeBytes(checksum(record));
    pendingEvents++;
    if (pendingEvents > maxPending
        || pending.size() > MAX_PENDING_BYTES
        || ticker.nanoTime() - flushedAtNanos > flushNanos) {
      flush();
    }
  }

  private static byte[] checksum(byte[] bytes) {
    return ByteBuffer.allocate(Integer.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MaskedCrc32c.of(bytes, 0, bytes.length))
        .array();
  }

  /** Flushes all pending events. */
  public synchronized void flush() {
    checkOpen();
    try {
      pending.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
    pending.reset();
    pendingEvents = 0;
    flushedAtNanos = ticker.nanoTime();
  }

  @GuardedBy("this")
  private void checkOpen() {
    if (isClosed) {
      throw StatusException.of(StatusCode.FAILED_PRECONDITION, "%s was closed", file);
    }
  }

  /** Flushes all pending events and closes the file. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    try (out) {
      flush();
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    } finally {
      isClosed = true;
    }
  }
}
