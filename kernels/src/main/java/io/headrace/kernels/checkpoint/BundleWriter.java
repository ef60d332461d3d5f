package io.headrace.kernels.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.proto.tensorflow.BundleEntryProto;
import io.headrace.proto.tensorflow.BundleHeaderProto;
import io.headrace.proto.tensorflow.VersionDef;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a V2 checkpoint ("tensor bundle") of one data file, byte for byte as TensorFlow does
 * (tensorflow/core/util/tensor_bundle/tensor_bundle.h).
 *
 * <p>{@code PREFIX.data-00000-of-00001} holds the elements of all tensors, one after the other;
 * {@code PREFIX.index} is a table with a header at the key "" and a BundleEntryProto for each
 * tensor. A tensor that is saved in slices has an entry that lists them, and one for each slice.
 * Both files are temporary until {@link #finish} has them on disk and renames them, the index last;
 * closing the writer earlier leaves an existing checkpoint of that name unchanged. Used by one
 * thread.
 */
public final class BundleWriter implements AutoCloseable {
  /** The format version that is written, and the oldest reader version that can read it. */
  static final VersionDef VERSION = VersionDef.newBuilder().setProducer(1).build();

  private final String prefix;
  private final AtomicFile data;
  private final Map<byte[], BundleEntryProto.Builder> entries =
      new TreeMap<>(Arrays::compareUnsigned);
  private long size;

  private BundleWriter(String prefix, AtomicFile data) {
    this.prefix = prefix;
    this.data = data;
  }

  /** Begins the checkpoint {@code prefix}, and creates its directory if it does not exist. */
  public static BundleWriter open(String prefix) {
    DataFiles.createFolder(DataFiles.folderOf(prefix));
    return new BundleWriter(prefix, AtomicFile.create(CheckpointFiles.data(prefix, 0, 1)));
  }

  /** Adds {@code tensor} as {@code name}; INVALID_ARGUMENT if the name is taken. */
  public void add(String name, Tensor tensor) {
    add(name.getBytes(UTF_8), name, tensor);
  }

  private void add(byte[] key, String name, Tensor tensor) {
    if (key.length == 0) {
      throw StatusException.invalidArgument("a tensor in a checkpoint must have a name");
    }
    if (entries.containsKey(key)) {
      throw StatusException.invalidArgument("Adding duplicate key: %s", name);
    }
    BundleTensorCodec.Written written = BundleTensorCodec.write(tensor, data);
    entries.put(
        key,
        BundleEntryProto.newBuilder()
            .setDtypeValue(tensor.dtype().number())
            .setShape(TensorProtos.shape(tensor.shape()))
            .setOffset(size)
            .setSize(written.bytes())
            .setCrc32C(written.maskedCrc()));
    size += written.bytes();
  }

  /**
   * Adds {@code tensor} as the slice {@code part} of the tensor {@code name}. INVALID_ARGUMENT if
   * its shape is not the slice's, or if earlier slices of the tensor have another full shape or
   * dtype.
   */
  void addSlice(String name, ShapeAndSlice part, Tensor tensor) {
    if (!part.partShape().equals(tensor.shape())) {
      throw StatusException.invalidArgument(
          "the slice %s of %s does not match the shape of the tensor to save: %s",
          part.slice(), part.shape(), tensor.shape());
    }
    if (part.isWhole()) {
      add(name, tensor);
      return;
    }
    BundleEntryProto.Builder whole =
        entries.computeIfAbsent(
            name.getBytes(UTF_8),
            _ ->
                BundleEntryProto.newBuilder()
                    .setDtypeValue(tensor.dtype().number())
                    .setShape(TensorProtos.shape(part.shape())));
    if (whole.getDtypeValue() != tensor.dtype().number()
        || !TensorProtos.shape(whole.getShape()).equals(part.shape())) {
      throw StatusException.invalidArgument(
          "parts of %s are %s%s, and another is of %s%s",
          name,
          DataType.ofNumber(whole.getDtypeValue()).tfName(),
          TensorProtos.shape(whole.getShape()),
          tensor.dtype().tfName(),
          part.shape());
    }
    whole.addSlices(part.slice().toProto());
    add(part.slice().key(name), name + " " + part.slice(), tensor);
  }

  /** Commits the data file, then writes and commits the index. */
  public void finish() {
    data.commit();
    BundleHeaderProto header =
        BundleHeaderProto.newBuilder().setNumShards(1).setVersion(VERSION).build();
    writeIndex(prefix, header, entries);
  }

  static void writeIndex(
      String prefix, BundleHeaderProto header, Map<byte[], BundleEntryProto.Builder> entries) {
    try (AtomicFile file = AtomicFile.create(CheckpointFiles.index(prefix))) {
      SstableWriter table = new SstableWriter(file);
      table.add(new byte[0], header.toByteArray());
      entries.forEach((key, entry) -> table.add(key, entry.build().toByteArray()));
      table.finish();
      file.commit();
    }
  }

  @Override
  public void close() {
    data.close();
  }
}
