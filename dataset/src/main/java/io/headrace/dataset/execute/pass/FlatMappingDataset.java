package io.headrace.dataset.execute.pass;

import io.headrace.dataset.execute.pass.Lineage.Told;
import java.util.List;

/**
 * A dataset that concatenates or interleaves the datasets a function returns for the input's
 * elements.
 */
public interface FlatMappingDataset extends FunctionDataset {
  @Override
  default List<SplitSource> splitSources() {
    return input().splitSources().stream().map(SplitSource::asGrouped).toList();
  }

  @Override
  default Lineage lineage() {
    if (function().isStateful() || function().capturesDatasets()) {
      return Lineage.Lost.remade(
          input().lineage(),
          getClass().getSimpleName(),
          "the dataset that its function makes of an element may be another each time, as with a"
              + " shuffle, a cache or a random op in it, or a dataset from outside");
    }
    return ofRecords(getClass().getSimpleName(), input().lineage());
  }

  /**
   * The lineage of rows that {@code op} makes of each row of an input with the lineage {@code
   * input}.
   */
  static Lineage ofRecords(String op, Lineage input) {
    if (input instanceof Lineage.Lost || input == Told.SPLITS) {
      return input == Told.SPLITS ? Told.RECORDS : input;
    }
    return Lineage.Lost.remade(
        input, op, "its input's elements are not splits of a source, but made of other records");
  }
}
