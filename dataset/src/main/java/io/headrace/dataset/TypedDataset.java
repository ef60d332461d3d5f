package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A dataset whose elements are read as records, as {@link Dataset#as} makes it. Immutable and
 * thread-safe.
 *
 * @param <R> the record type
 */
public final class TypedDataset<R> implements Iterable<R> {
  private final Dataset dataset;
  private final RowType.Reader<R> reader;

  TypedDataset(Dataset dataset, RowType.Reader<R> reader) {
    this.dataset = dataset;
    this.reader = reader;
  }

  /** The dataset. */
  public Dataset dataset() {
    return dataset;
  }

  /** Starts a pass in this process; close it to end it early. */
  @Override
  public TypedIterator<R> iterator() {
    return new TypedIterator<>(dataset.iterator(), reader);
  }

  /** Calls {@code action} with each record: see {@link Dataset#forEach}. */
  @Override
  public void forEach(Consumer<? super R> action) {
    requireNonNull(action, "action is null");
    try (TypedIterator<R> rows = iterator()) {
      rows.forEachRemaining(action);
    }
  }

  /** A pass in this process, as a stream; close it to end it early. */
  public Stream<R> stream() {
    TypedIterator<R> rows = iterator();
    return rows.stream();
  }

  /** The plan of the dataset. */
  @Override
  public String toString() {
    return dataset.toString();
  }
}
