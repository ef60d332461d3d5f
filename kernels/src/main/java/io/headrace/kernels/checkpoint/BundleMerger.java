package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.proto.tensorflow.BundleEntryProto;
import io.headrace.proto.tensorflow.BundleHeaderProto;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Merges several V2 checkpoints into one: renames their data files and merges their indexes, as
 * MergeBundles in tensorflow/core/util/tensor_bundle/tensor_bundle.cc does. Used by one thread.
 */
public final class BundleMerger {
  private final Map<byte[], BundleEntryProto.Builder> entries =
      new TreeMap<>(Arrays::compareUnsigned);

  /** The data files with entries, each with its shard number in the merged checkpoint. */
  private final Map<String, Integer> shards = new LinkedHashMap<>();

  private Optional<BundleHeaderProto> header = Optional.empty();

  private BundleMerger() {}

  /**
   * Merges the checkpoints {@code prefixes} into {@code destination}: renames their data files and
   * deletes their indexes. Fails with INVALID_ARGUMENT, before any file changes, if a checkpoint is
   * missing and {@code allowMissing} is false, if all are missing, or if two hold a tensor of the
   * same name, unless both hold slices of it.
   */
  public static void merge(List<String> prefixes, String destination, boolean allowMissing) {
    DataFiles.createFolder(DataFiles.folderOf(destination));
    BundleMerger merge = new BundleMerger();
    for (String prefix : prefixes) {
      if (BundleReader.exists(prefix)) {
        merge.add(prefix);
      } else if (!allowMissing) {
        throw invalidArgument("allow_missing_files was set to false and %s did not exist.", prefix);
      }
    }
    merge.finish(prefixes, destination);
  }

  private void add(String prefix) {
    try (BundleReader reader = BundleReader.open(prefix)) {
      BundleHeaderProto found = reader.header();
      if (header.isPresent() && !header.get().getVersion().equals(found.getVersion())) {
        throw invalidArgument(
            "Merging bundles with different format versions: merged %s vs. curr %s",
            header.get().getVersion(), found.getVersion());
      }
      header = Optional.of(found);
      reader
          .table()
          .forEach(entry -> {
            if (entry.getKey().length > 0) {
              String key = new String(entry.getKey(), UTF_8);
              BundleEntryProto parsed =
                  BundleReader.parse(
                      prefix, key, Optional.of(entry.getValue()), BundleEntryProto::parseFrom);
              add(prefix, found.getNumShards(), key, entry.getKey(), parsed);
            }
          });
    }
  }

  private void add(String prefix, int numShards, String name, byte[] key, BundleEntryProto entry) {
    BundleEntryProto.Builder existing = entries.get(key);
    if (existing == null) {
      String file = CheckpointFiles.data(prefix, entry.getShardId(), numShards);
      int shard = shards.getOrDefault(file, shards.size());
      shards.put(file, shard);
      entries.put(key, entry.toBuilder().setShardId(shard));
      return;
    }
    if (existing.getSlicesCount() == 0 || entry.getSlicesCount() == 0) {
      throw invalidArgument(
          "Duplicate tensor keyed by %s encountered, when merging prefix: %s", name, prefix);
    }
    if (existing.getDtypeValue() != entry.getDtypeValue()
        || !existing.getShape().equals(entry.getShape())) {
      throw invalidArgument(
          "the parts of %s in %s are of another dtype or shape than those before", name, prefix);
    }
    existing.addAllSlices(entry.getSlicesList());
  }

  private void finish(List<String> prefixes, String destination) {
    BundleHeaderProto merged =
        header
            .map(found -> found.toBuilder().setNumShards(shards.size()).build())
            .orElseThrow(() ->
                new StatusException(
                    StatusCode.INVALID_ARGUMENT,
                    "At least one prefix checkpoint file must exist, but none existed."));
    shards.forEach((file, shard) ->
        DataFiles.rename(file, CheckpointFiles.data(destination, shard, shards.size())));
    BundleWriter.writeIndex(destination, merged, entries);
    for (String prefix : prefixes) {
      if (!prefix.equals(destination)) {
        DataFiles.delete(CheckpointFiles.index(prefix));
      }
    }
  }
}
