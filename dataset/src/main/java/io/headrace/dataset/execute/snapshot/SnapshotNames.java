package io.headrace.dataset.execute.snapshot;

/** The names of the folders and files of a snapshot. */
final class SnapshotNames {
  /** The ending of the folders of shards. */
  static final String SHARD = ".shard";

  /** The ending of chunk files. */
  static final String CHUNK = ".snapshot";

  private static final int DIGITS = 8;

  private SnapshotNames() {}

  /** The folder of the snapshot under {@code path} of an input with {@code hash}. */
  static String hashFolder(String path, long hash) {
    return join(path, Long.toUnsignedString(hash));
  }

  /** The folder of the run {@code id} of the snapshot in {@code folder}. */
  static String run(String folder, String id) {
    return join(folder, id);
  }

  /** The folder of a shard of a run; the shard's number counts as unsigned. */
  static String shard(String run, long number) {
    return join(run, padded(number) + SHARD);
  }

  /** The file of chunk {@code index} of a shard. */
  static String chunk(String shard, long index) {
    return join(shard, padded(index) + CHUNK);
  }

  /** {@code name} within {@code folder}, either of which may be empty. */
  static String join(String folder, String name) {
    if (folder.isEmpty() || name.isEmpty()) {
      return folder + name;
    }
    String base = folder.endsWith("/") ? folder.substring(0, folder.length() - 1) : folder;
    return base + "/" + (name.startsWith("/") ? name.substring(1) : name);
  }

  private static String padded(long number) {
    String digits = Long.toUnsignedString(number);
    return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
  }
}
