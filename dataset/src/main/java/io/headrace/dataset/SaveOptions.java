package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * How a dataset is saved, or a snapshot of it is written.
 *
 * @param compression the compression of the files
 * @param shard finds the shard, a scalar int64, of each element; elements of a shard are in one
 *     file and keep their order. Empty for one shard in a saved dataset, and for as many shards as
 *     this machine has processors in a snapshot
 */
public record SaveOptions(Compression compression, Optional<Functions.OfElement> shard) {
  /** Refuses nulls. */
  public SaveOptions {
    requireNonNull(compression, "compression is null");
    requireNonNull(shard, "shard is null");
  }

  /** Uncompressed, in one shard. */
  public static final SaveOptions SAVE = new SaveOptions(Compression.NONE, Optional.empty());

  /** Compressed with Snappy, in as many shards as this machine has processors. */
  public static final SaveOptions SNAPSHOT = new SaveOptions(Compression.SNAPPY, Optional.empty());

  /** The same with another compression. */
  public SaveOptions compression(Compression compression) {
    requireNonNull(compression, "compression is null");
    return new SaveOptions(compression, shard);
  }

  /** The same with the shard that {@code function} returns for each element. */
  public SaveOptions shards(Functions.OfElement function) {
    requireNonNull(function, "function is null");
    return new SaveOptions(compression, Optional.of(function));
  }
}
