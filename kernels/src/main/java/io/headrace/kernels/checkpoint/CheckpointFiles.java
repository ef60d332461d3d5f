package io.headrace.kernels.checkpoint;

import java.util.Locale;

/** The file names of checkpoints. */
final class CheckpointFiles {
  private CheckpointFiles() {}

  /** The index of the V2 checkpoint {@code prefix}. */
  public static String index(String prefix) {
    return prefix + ".index";
  }

  /** The data file {@code shard} of {@code shards} of the V2 checkpoint {@code prefix}. */
  public static String data(String prefix, long shard, long shards) {
    return String.format(Locale.ROOT, "%s.data-%05d-of-%05d", prefix, shard, shards);
  }

  /** The file of shard {@code shard} of {@code shards}, as ShardedFilename names it. */
  public static String sharded(String name, int shard, int shards) {
    return String.format(Locale.ROOT, "%s-%05d-of-%05d", name, shard, shards);
  }

  /** The glob pattern of the files of all shards, as ShardedFilespec gives it. */
  public static String shardedPattern(String name, int shards) {
    return String.format(Locale.ROOT, "%s-?????-of-%05d", name, shards);
  }
}
