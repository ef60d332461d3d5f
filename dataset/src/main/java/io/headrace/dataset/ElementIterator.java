package io.headrace.dataset;

import io.headrace.runtime.tensor.Chunk;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset, element by element. It closes itself at its end; close it to end it
 * early. The garbage collector closes an iterator that was dropped unclosed, and logs a warning.
 *
 * <p>{@link #hasNext}, or {@link #next} if it was not asked before, throws StatusException for an
 * element that failed; the iterator continues behind it. Used by one thread at a time.
 */
public final class ElementIterator implements Iterator<Element>, AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final System.Logger LOGGER = System.getLogger(ElementIterator.class.getName());

  /** Closes the reader when the iterator has become unreachable. */
  private record Abandoned(Structure structure, ChunkReader reader, AtomicBoolean closed)
      implements Runnable {
    @Override
    public void run() {
      if (!closed.getAndSet(true)) {
        LOGGER.log(
            Level.WARNING,
            "an iterator over elements {0} was dropped without being closed; closing it",
            structure);
        reader.close();
      }
    }
  }

  private final Structure structure;
  private final ChunkReader reader;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Cleaner.Cleanable cleanable;
  private @Nullable Chunk chunk;
  private int row;

  /** A pass over the elements of {@code reader}, which the iterator then owns. */
  public ElementIterator(Structure structure, ChunkReader reader) {
    this.structure = structure;
    this.reader = reader;
    this.cleanable = CLEANER.register(this, new Abandoned(structure, reader, closed));
  }

  @Override
  public boolean hasNext() {
    if (closed.get()) {
      return false;
    }
    if (chunk == null || row == chunk.rows()) {
      chunk = null;
      chunk = reader.next();
      row = 0;
      if (chunk == null) {
        close();
      }
    }
    return chunk != null;
  }

  @Override
  public Element next() {
    if (!hasNext() || chunk == null) {
      throw new NoSuchElementException();
    }
    reader.awaitDelivery();
    return new Element(structure, chunk.row(row++));
  }

  /**
   * The progress of this pass: exactly the elements that {@link #next} returned. Another reader of
   * the same distributed dataset resumes after it, and gets exactly the rest.
   *
   * @throws io.headrace.runtime.status.StatusException FAILED_PRECONDITION, with the reason, if
   *     this pass can't be resumed: it reads from no service, or without the exactly-once
   *     guarantee, or a transformation behind the service loses the origins of its elements
   */
  public Checkpoint checkpoint() {
    return reader.checkpoint(chunk == null ? 0 : chunk.rows() - row);
  }

  /** The remaining elements, as a stream; closing the stream closes this iterator. */
  public Stream<Element> stream() {
    Spliterator<Element> spliterator =
        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL);
    return StreamSupport.stream(spliterator, false).onClose(this::close);
  }

  /** Ends the pass. Idempotent. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      Chunk current = chunk;
      if (current != null) {
        reader.leave(current.rows() - row);
      }
      chunk = null;
      reader.close();
      cleanable.clean();
    }
  }
}
