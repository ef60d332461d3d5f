package io.headrace.dataset;

import java.util.Iterator;
import java.util.stream.Stream;

/**
 * One pass over a dataset, record by record: an {@link ElementIterator} whose elements are records.
 *
 * @param <R> the record type
 */
public final class TypedIterator<R> implements Iterator<R>, AutoCloseable {
  private final ElementIterator elements;
  private final RowType.Reader<R> reader;

  TypedIterator(ElementIterator elements, RowType.Reader<R> reader) {
    this.elements = elements;
    this.reader = reader;
  }

  @Override
  public boolean hasNext() {
    return elements.hasNext();
  }

  @Override
  public R next() {
    return reader.read(elements.next().components());
  }

  /** The progress of this pass: see {@link ElementIterator#checkpoint}. */
  public Checkpoint checkpoint() {
    return elements.checkpoint();
  }

  /** How many elements were left out: see {@link ElementIterator#errorsIgnored}. */
  public long errorsIgnored() {
    return elements.errorsIgnored();
  }

  /** The remaining records, as a stream; closing the stream closes this iterator. */
  public Stream<R> stream() {
    return elements.stream().map(element -> reader.read(element.components()));
  }

  /** Ends the pass. Idempotent. */
  @Override
  public void close() {
    elements.close();
  }
}
