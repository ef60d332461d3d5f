package io.headrace.kernels.checkpoint;

import java.util.Locale;

/** What the files of a checkpoint are called. */
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

  /** The file of one shard of several that save apart. */
  public static String sharded(String name, int shard, int shards) {
    return String.format(Locale.ROOT, "%s-%05d-of-%05d", name, shard, shards);
  }

  /** The pattern of the files of all shards. */
  public static String shardedPattern(String name, int shards) {
    return String.format(Locale.ROOT, "%s-?????-of-%05d", name, shards);
  }
}
