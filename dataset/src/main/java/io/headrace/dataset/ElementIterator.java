package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a dataset, element by element. It closes itself at its end; close it to end it
 * early. Java gives a for-each loop no way to close the iterator of a loop that breaks, so the
 * garbage collector closes what was dropped before its end. Where the elements come from workers of
 * a service, that may be late for others: until then the workers hold elements for this pass, which
 * other readers of the job wait for. So a warning names the place that made such an iterator, once
 * for each place; {@code try (var elements = dataset.iterator())} ends the pass where the loop
 * does.
 *
 * <p>{@link #hasNext}, or {@link #next} if it was not asked before, throws StatusException for an
 * element that failed; the iterator continues behind it. Used by one thread at a time.
 */
public final class ElementIterator implements Iterator<Element>, AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final System.Logger LOGGER = System.getLogger(ElementIterator.class.getName());

  /** The most places whose iterators are warned of once only. */
  private static final int MAX_PLACES = 1000;

  /** The places that a warning has named. */
  private static final Set<String> WARNED_PLACES = ConcurrentHashMap.newKeySet();

  private static final StackWalker STACK = StackWalker.getInstance();

  /** The classes that make an iterator for their caller. */
  private static final Set<String> MAKERS =
      Stream.of(ElementIterator.class, Dataset.class, TypedDataset.class, TypedIterator.class)
          .map(Class::getName)
          .collect(Collectors.toUnmodifiableSet());

  /** Closes the reader when the iterator has become unreachable. */
  private record Abandoned(
      Structure structure, ChunkReader reader, String place, AtomicBoolean closed, AtomicLong taken)
      implements Runnable {
    @Override
    public void run() {
      if (closed.getAndSet(true)) {
        return;
      }
      if (reader.readsFromWorkers() && taken.getAcquire() != reader.cardinality() && isNewPlace()) {
        LOGGER.log(
            Level.WARNING,
            "an iterator over elements {0}, made {1}, was dropped without being closed before its"
                + " end; closing it. Workers held elements for it until now. Where a loop or a"
                + " stream may end early, write try (var elements = dataset.iterator()), or close"
                + " the stream",
            structure,
            place);
      }
      reader.close();
    }

    /** Whether no warning has told of {@link #place}; true for all beyond a number of places. */
    private boolean isNewPlace() {
      return WARNED_PLACES.size() >= MAX_PLACES || WARNED_PLACES.add(place);
    }
  }

  private final Structure structure;
  private final ChunkReader reader;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** How many elements {@link #next} returned. */
  private final AtomicLong taken = new AtomicLong();

  private final Cleaner.Cleanable cleanable;
  private @Nullable Chunk chunk;
  private int row;
  private boolean atEnd;

  /** A pass over the elements of {@code reader}, which the iterator then owns. */
  public ElementIterator(Structure structure, ChunkReader reader) {
    requireNonNull(structure, "structure is null");
    requireNonNull(reader, "reader is null");
    this.structure = structure;
    this.reader = reader;
    this.cleanable =
        CLEANER.register(this, new Abandoned(structure, reader, place(), closed, taken));
  }

  /** Where the user made the iterator: the nearest frame outside of the classes that make them. */
  private static String place() {
    return STACK.walk(frames ->
        frames
            .filter(frame -> !MAKERS.contains(frame.getClassName()))
            .filter(frame -> !frame.getClassName().startsWith("java."))
            .findFirst()
            .map(frame -> "at " + frame.toStackTraceElement())
            .orElse("somewhere"));
  }

  @Override
  public boolean hasNext() {
    if (closed.get()) {
      return false;
    }
    if (chunk == null || row == chunk.rows()) {
      chunk = null;
      chunk = read();
      row = 0;
      if (chunk == null) {
        atEnd = true;
        close();
      }
    }
    return chunk != null;
  }

  @Override
  public Element next() {
    if (!hasNext() || chunk == null) {
      throw new NoSuchElementException(
          "%s after %d elements"
              .formatted(
                  atEnd ? "the dataset ended" : "the iterator was closed", taken.getPlain()));
    }
    awaitDelivery();
    taken.setRelease(taken.getPlain() + 1);
    return new Element(structure, chunk.row(row++));
  }

  private @Nullable Chunk read() {
    try {
      return reader.next();
    } catch (StatusException e) {
      throw here(e);
    }
  }

  private void awaitDelivery() {
    try {
      reader.awaitDelivery();
    } catch (StatusException e) {
      throw here(e);
    }
  }

  /** An error with the user's own frames in its trace, also where another thread met it. */
  private static StatusException here(StatusException e) {
    boolean isOurs =
        Stream.of(e.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(ElementIterator.class.getName()));
    return isOurs ? e : new StatusException(e.code(), e.message(), e);
  }

  /**
   * The progress of this pass: exactly the elements that {@link #next} returned. Another reader of
   * the same distributed dataset resumes after it, and gets exactly the rest.
   *
   * @throws StatusException FAILED_PRECONDITION, with the reason, if this pass can't be resumed: it
   *     reads from no service, or without the exactly-once guarantee, or a transformation behind
   *     the service loses the origins of its elements
   */
  public Checkpoint checkpoint() {
    return reader.checkpoint(chunk == null ? 0 : chunk.rows() - row);
  }

  /**
   * How many elements failed in this pass so far and were left out by {@link Dataset#ignoreErrors},
   * in this process and on the workers that it reads from. A pass reads ahead, so elements may
   * count that would have been behind the last one that {@link #next} returned. Workers tell it
   * once a second and at the end of a task; {@code ReadStatistics.errorsIgnored} says which do. The
   * number stays after the end. For any thread.
   */
  public long errorsIgnored() {
    return reader.errorsIgnored();
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
