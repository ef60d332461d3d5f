package io.headrace.dataset;

import io.headrace.dataset.execute.source.IterableDataset;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds the node of {@code fromIterable}. */
final class IterableSource {
  private IterableSource() {}

  /** The elements of {@code elements}, of {@code structure}. */
  static Dataset of(Structure structure, Iterable<List<Tensor>> elements) {
    // The node finds the source while this dataset holds it.
    IterableDataset.Source source = IterableDataset.Source.of(elements);
    return new Dataset(
        structure,
        target ->
            DatasetNodeBuilder.typed(
                target.graph().op(IterableDataset.NAME).input(source.handle()), structure));
  }

  /** A record for each element. */
  static <R extends Record> Dataset ofRecords(Class<R> type, Iterable<R> rows) {
    RowType<R> rowType = RowType.of(type);
    Function<R, List<Tensor>> write = rowType::write;
    return of(
        rowType.structure(),
        rows instanceof Collection<R> all
            ? new Mapped<>(all, write)
            : () -> mapped(rows.iterator(), write));
  }

  private static <A, B> Iterator<B> mapped(Iterator<A> values, Function<A, B> change) {
    return new Iterator<>() {
      private long index;

      @Override
      public boolean hasNext() {
        return values.hasNext();
      }

      @Override
      public B next() {
        @Nullable A value = values.next();
        long at = index++;
        if (value == null) {
          throw StatusException.invalidArgument("element %d of the Iterable is null", at);
        }
        return change.apply(value);
      }
    };
  }

  /** The elements of a collection, each changed when it is asked for. */
  private static final class Mapped<A, B> extends AbstractCollection<B> {
    private final Collection<A> values;
    private final Function<A, B> change;

    Mapped(Collection<A> values, Function<A, B> change) {
      this.values = values;
      this.change = change;
    }

    @Override
    public Iterator<B> iterator() {
      return mapped(values.iterator(), change);
    }

    @Override
    public int size() {
      return values.size();
    }
  }
}
