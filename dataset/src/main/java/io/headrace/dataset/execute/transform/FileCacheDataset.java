package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.kernels.checkpoint.BundleSequence;
import java.time.InstantSource;

/**
 * The input; the rows of the first pass that is read to its end are kept in files, as TensorFlow
 * keeps them: a V2 checkpoint with a tensor for each component of each row. Later passes, of any
 * process, read them.
 *
 * @param file the name that the names of the files begin with
 * @param where the node, for messages
 * @param clock dates the lock file
 */
record FileCacheDataset(DatasetValue input, String file, String where, InstantSource clock)
    implements UnaryDataset {
  private static final int MAX_ROWS = 10_000_000;
  private static final int ROW_DIGITS = 7;

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "CacheDataset", "a later repetition has the elements of the first, not records of its own");
  }

  @Override
  public String iteratorName() {
    return "FileCacheImpl";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return BundleSequence.exists(file)
        ? new FileCacheReader(this)
        : new FileCacheWriter(this, context.open(input), MAX_ROWS);
  }

  /**
   * The name under which a component of a row is kept: numbers, padded with spaces to one width.
   */
  String key(long row, int component) {
    int componentDigits = String.valueOf(input.outputTypes().size() - 1).length();
    return padded(row, ROW_DIGITS) + "_" + padded(component, componentDigits);
  }

  private static String padded(long number, int width) {
    String digits = Long.toString(number);
    return " ".repeat(Math.max(0, width - digits.length())) + digits;
  }
}
