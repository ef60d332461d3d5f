package io.headrace.dataset.execute.reader;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.headrace.kernels.resource.TensorQueue;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A TensorFlow 1 reader, the resource behind a reader op's handle: the records, with keys, of files
 * whose names come from a queue. Calls run one after the other; a call that waits for a name holds
 * no thread of the kernels' pool. Thread-safe.
 */
final class ReaderResource implements AutoCloseable {
  /** A record and its key. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record KeyedRecord(byte[] key, byte[] value) {}

  /** The file format of one kind of reader. */
  interface Format {
    /** Opens {@code file}. */
    Records open(String file);

    /** Whether a file is a single record, so that the reader is never in the middle of a file. */
    default boolean isOfWholeFiles() {
      return false;
    }
  }

  /** The records of one file. Used by one thread at a time. */
  interface Records extends AutoCloseable {
    /** The next record; null at the end. */
    @Nullable KeyedRecord next();

    /** Whether the end is known to be reached without reading on. */
    default boolean isOver() {
      return false;
    }

    @Override
    void close();
  }

  private final Format format;
  private final SerialCalls calls = new SerialCalls();
  private @Nullable Records file;
  private String lastName = "";
  private long produced;
  private long completed;

  ReaderResource(Format format) {
    this.format = format;
  }

  /** The reader of {@code handle}; INVALID_ARGUMENT if it is not a reader's handle. */
  static ReaderResource of(Tensor handle) {
    if (handle.dtype() == DataType.RESOURCE
        && handle.elements() == 1
        && handle.reference(0) instanceof ReaderResource reader) {
      return reader;
    }
    throw WrongHandle.of(handle, "reader");
  }

  /** The number of records read. */
  synchronized long produced() {
    return produced;
  }

  /** The number of files read to their end. */
  synchronized long completed() {
    return completed;
  }

  /** Resets the counters; the next read starts with the next name of the queue. */
  CompletableFuture<List<Tensor>> reset(Cancellation cancellation) {
    return calls.submit(
        () -> {
          restart(new ReaderState(0, 0, ByteString.EMPTY));
          return List.of();
        },
        _ -> {},
        cancellation);
  }

  private void restart(ReaderState state) {
    close();
    synchronized (this) {
      produced = state.produced();
      completed = state.completed();
      lastName = state.work().toStringUtf8();
    }
  }

  /**
   * The reader's progress, serialized as a {@link ReaderState}; UNIMPLEMENTED for formats with
   * several records per file.
   */
  CompletableFuture<List<Tensor>> save(Cancellation cancellation) {
    return calls.submit(
        () -> {
          if (!format.isOfWholeFiles()) {
            throw StatusException.unimplemented("Reader SerializeState");
          }
          synchronized (this) {
            ByteString work = ByteString.copyFromUtf8(lastName);
            return List.of(Tensor.scalar(new ReaderState(completed, produced, work).encoded()));
          }
        },
        _ -> {},
        cancellation);
  }

  /**
   * Resumes from the scalar {@code state}. UNIMPLEMENTED as for {@link #save}; INVALID_ARGUMENT for
   * an invalid state, after which the reader is reset.
   */
  CompletableFuture<List<Tensor>> restore(Tensor state, Cancellation cancellation) {
    return calls.submit(
        () -> {
          if (!format.isOfWholeFiles()) {
            throw StatusException.unimplemented("Reader RestoreState");
          }
          if (state.shape().rank() != 0) {
            throw invalidArgument("Reader state must be scalar, but had shape: %s", state.shape());
          }
          restart(new ReaderState(0, 0, ByteString.EMPTY));
          restart(ReaderState.decode(state.string(0)));
          return List.of();
        },
        _ -> {},
        cancellation);
  }

  /** The key and the value of the next record; OUT_OF_RANGE once the queue is closed and empty. */
  CompletableFuture<List<Tensor>> read(TensorQueue queue, Cancellation cancellation) {
    return calls.submit(
        () -> {
          KeyedRecord read = readUpTo(1, queue, cancellation).getFirst();
          return List.of(Tensor.scalar(read.key()), Tensor.scalar(read.value()));
        },
        _ -> {},
        cancellation);
  }

  /** The keys and values of up to {@code count} records; fewer at the end of a file. */
  CompletableFuture<List<Tensor>> readMany(
      long count, TensorQueue queue, Cancellation cancellation) {
    return calls.submit(
        () -> {
          List<KeyedRecord> read = readUpTo(count, queue, cancellation);
          byte[][] keys = read.stream().map(KeyedRecord::key).toArray(byte[][]::new);
          byte[][] values = read.stream().map(KeyedRecord::value).toArray(byte[][]::new);
          Shape shape = Shape.of(read.size());
          return List.of(
              Tensor.wrap(DataType.STRING, shape, keys),
              Tensor.wrap(DataType.STRING, shape, values));
        },
        _ -> {},
        cancellation);
  }

  private List<KeyedRecord> readUpTo(long count, TensorQueue queue, Cancellation cancellation) {
    List<KeyedRecord> read = new ArrayList<>();
    while (read.size() < count) {
      cancellation.check();
      Records open = opened(queue, cancellation);
      KeyedRecord next = open.next();
      if (next != null) {
        read.add(next);
        synchronized (this) {
          produced++;
        }
      }
      if (next == null || open.isOver()) {
        close();
        synchronized (this) {
          completed++;
        }
        if (!read.isEmpty()) {
          break;
        }
      }
    }
    return read;
  }

  private Records opened(TensorQueue queue, Cancellation cancellation) {
    Records open = current();
    if (open != null) {
      return open;
    }
    String name = nextName(queue, cancellation);
    Records next = format.open(name);
    synchronized (this) {
      file = next;
      lastName = name;
    }
    return next;
  }

  private synchronized @Nullable Records current() {
    return file;
  }

  private static String nextName(TensorQueue queue, Cancellation cancellation) {
    List<Tensor> element;
    try {
      element = queue.dequeue(cancellation).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StatusException status
          ? status
          : new StatusException(StatusCode.INTERNAL, String.valueOf(e.getCause()), e);
    }
    if (element.size() != 1) {
      throw invalidArgument("Expected single component queue");
    }
    Tensor name = element.getFirst();
    if (name.dtype() != DataType.STRING) {
      throw invalidArgument("Expected queue with single string component");
    }
    if (name.elements() != 1) {
      throw invalidArgument("Expected to dequeue a one-element string tensor");
    }
    return new String(name.string(0), UTF_8);
  }

  /** Closes the current file. Idempotent. */
  @Override
  public synchronized void close() {
    Records open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
