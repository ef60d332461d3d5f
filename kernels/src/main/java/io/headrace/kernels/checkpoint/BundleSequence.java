package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.proto.tensorflow.BundleEntryProto;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * The tensors of a V2 checkpoint, one after the other in the order of their names, as a dataset's
 * cache is read. Errors are those of {@link BundleReader}. Used by one thread.
 */
public final class BundleSequence implements AutoCloseable {
  private final String prefix;
  private final BundleReader reader;
  private final Iterator<Map.Entry<byte[], byte[]>> entries;

  private BundleSequence(String prefix, BundleReader reader) {
    this.prefix = prefix;
    this.reader = reader;
    this.entries = reader.table().iterator();
    entries.next(); // the header
  }

  /** A tensor and its name. */
  public record Named(String name, Tensor tensor) {}

  /** Whether the checkpoint {@code prefix} exists. */
  public static boolean exists(String prefix) {
    return BundleReader.exists(prefix);
  }

  /** The names of the files of the checkpoint {@code prefix}, if it has one data file. */
  public static String fileNames(String prefix, String separator) {
    return CheckpointFiles.index(prefix) + separator + CheckpointFiles.data(prefix, 0, 1);
  }

  /** Deletes the files of the checkpoint {@code prefix} that exist, if it has one data file. */
  public static void delete(String prefix) {
    DataFiles.delete(CheckpointFiles.index(prefix));
    DataFiles.delete(CheckpointFiles.data(prefix, 0, 1));
  }

  /** Opens the checkpoint {@code prefix} before its first tensor. */
  public static BundleSequence open(String prefix) {
    return new BundleSequence(prefix, BundleReader.open(prefix));
  }

  /** The next tensor; empty at the end. DATA_LOSS if it was saved in slices. */
  public Optional<Named> next() {
    if (!entries.hasNext()) {
      return Optional.empty();
    }
    Map.Entry<byte[], byte[]> next = entries.next();
    String name = new String(next.getKey(), UTF_8);
    BundleEntryProto entry =
        BundleReader.parse(prefix, name, Optional.of(next.getValue()), BundleEntryProto::parseFrom);
    if (entry.getSlicesCount() > 0) {
      throw StatusException.of(StatusCode.DATA_LOSS, "%s: %s is saved in slices", prefix, name);
    }
    return Optional.of(new Named(name, reader.whole(name, entry)));
  }

  @Override
  public void close() {
    reader.close();
  }
}
